# SPDX-License-Identifier: Apache-2.0
"""pagmo: batches of evaluations on threads, and an evolution whose generations are such batches."""
import client_task
import numpy as np
import pygmo


def run(_):
    problem = pygmo.problem(pygmo.lennard_jones(60))
    low, high = problem.get_bounds()
    points = np.random.default_rng(1).uniform(low, high, (4000, len(low))).ravel()
    evaluate = pygmo.bfe(pygmo.thread_bfe())

    def work():
        for _ in range(6):
            fitness = evaluate(problem, points)
        algorithm = pygmo.pso_gen(gen=150, seed=5)
        algorithm.set_bfe(evaluate)
        best = pygmo.algorithm(algorithm).evolve(pygmo.population(problem, 200, seed=7)).champion_f
        return f"{np.sort(fitness)[:2000].sum():.6e} {best[0]:.9f}"
    print(client_task.repeated(1, work))


client_task.client(run)
