# SPDX-License-Identifier: Apache-2.0
"""A small network on OpenVINO's CPU plugin: asynchronous requests, four at a time."""
import client_task
import numpy as np
import openvino
from openvino import opset13 as ops


def run(_):
    given = ops.parameter([256, 256], np.float32)
    value, random = given, np.random.RandomState(0)
    for _ in range(6):
        value = ops.relu(ops.matmul(value, ops.constant((random.rand(256, 256) - 0.5).astype(np.float32)), False, False))
    compiled = openvino.Core().compile_model(openvino.Model([value], [given]), "CPU")
    queue, sums = openvino.AsyncInferQueue(compiled, 4), {}
    queue.set_callback(lambda request, which: sums.setdefault(which, f"{request.get_output_tensor().data.sum():.4g}"))
    with client_task.measured():
        for i in range(400):
            queue.start_async((np.full((256, 256), 1 + i % 3, np.float32),), i)
        queue.wait_all()
    print(len(sums), sorted(set(sums.values())))


client_task.client(run)
