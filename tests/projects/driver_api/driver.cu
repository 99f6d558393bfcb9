#include <cuda.h>
#include <cuda_runtime.h>

struct Module {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
};

CUresult load(Module& m, const void* image, CUstream stream, float* data) {
  CUdevice device;
  CUcontext context;
  int value = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return CUDA_ERROR_NOT_INITIALIZED;
  cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  cuCtxGetCurrent(&context);
  CUresult result = cuModuleLoadData(&m.module, image);
  if (result != CUDA_SUCCESS) {
    const char* text = nullptr;
    cuGetErrorString(result, &text);
    return result;
  }
  cuModuleGetFunction(&m.function, m.module, "kernel");
  CUdeviceptr pointer = (CUdeviceptr)data;
  void* arguments[] = {&pointer};
  cuFuncSetAttribute(m.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024);
  cuMemsetD32Async(pointer, 0, 16, stream);
  return cuLaunchKernel(m.function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr);
}
