# SPDX-License-Identifier: Apache-2.0
"""OpenCV: filters, a warp, denoising and features of one image."""
import cv2
import client_task
import numpy as np


def run(_):
    generator = np.random.default_rng(1)
    image = cv2.resize(generator.integers(0, 255, (120, 160, 3), dtype=np.uint8), (2400, 1800), interpolation=cv2.INTER_CUBIC)
    turn = cv2.getRotationMatrix2D((1200, 900), 17, 1.1)

    def work():
        median = cv2.medianBlur(image, 5)
        both = cv2.bilateralFilter(median, 9, 40, 40)
        warped = cv2.warpAffine(both, turn, (2400, 1800), flags=cv2.INTER_LINEAR)
        clean = cv2.fastNlMeansDenoising(cv2.cvtColor(warped, cv2.COLOR_BGR2GRAY)[::3, ::3], None, 10, 7, 15)
        edges = cv2.Canny(cv2.cvtColor(warped, cv2.COLOR_BGR2GRAY), 30, 90)
        return [int(x.sum(dtype=np.uint64)) for x in (median, both, warped, clean, edges)]
    print(*client_task.repeated(5, work))


client_task.client(run)
