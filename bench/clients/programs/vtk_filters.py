# SPDX-License-Identifier: Apache-2.0
"""VTK: contours, gradients and slices of a volume, with TBB as the backend of its loops."""
import client_task
from vtkmodules.vtkCommonCore import vtkSMPTools
from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource
from vtkmodules.vtkImagingGeneral import vtkImageGradient


def run(_):
    if not vtkSMPTools.SetBackend("TBB"):
        raise SystemExit("VTK was built without TBB")
    vtkSMPTools.Initialize(2)
    source = vtkRTAnalyticSource()
    source.SetWholeExtent(-140, 140, -140, 140, -140, 140)
    source.Update()

    def work():
        points = cells = 0
        for value in range(60, 260, 10):
            contour = vtkFlyingEdges3D()
            contour.SetInputConnection(source.GetOutputPort())
            contour.SetValue(0, value)
            contour.Update()
            points += contour.GetOutput().GetNumberOfPoints()
            cells += contour.GetOutput().GetNumberOfCells()
        gradient = vtkImageGradient()
        gradient.SetInputConnection(source.GetOutputPort())
        gradient.SetDimensionality(3)
        gradient.Update()
        return points, cells, gradient.GetOutput().GetNumberOfPoints()
    print(*client_task.repeated(1, work))


client_task.client(run)
