# SPDX-License-Identifier: Apache-2.0
"""OpenTURNS: probabilities of samples, a covariance matrix, a metamodel."""
import client_task
import openturns as ot


def run(_):
    ot.RandomGenerator.SetSeed(1)
    copula = ot.ComposedDistribution([ot.Normal(), ot.Gamma(2.0, 1.0), ot.Beta(2.0, 3.0, 0.0, 1.0)], ot.NormalCopula(3))
    sample = copula.getSample(40_000)
    mixed = ot.Mixture([ot.Normal(m, 1.0 + 0.1 * m) for m in range(8)])
    line = mixed.getSample(200_000)
    places = ot.Uniform(-1, 1).getSample(1500)

    def work():
        densities = copula.computePDF(sample)
        probabilities = mixed.computeCDF(line)
        quantiles = mixed.computeQuantile(0.001, 0.999, 2000)
        matrix = ot.SquaredExponential([0.3], [2.0]).discretize(places)
        means = (values.computeMean()[0] for values in (densities, probabilities, quantiles))
        return [*(f"{mean:.9f}" for mean in means), f"{matrix.computeTrace():.6f}"]
    print(*client_task.repeated(3, work))


client_task.client(run)
