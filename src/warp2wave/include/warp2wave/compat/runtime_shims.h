// SPDX-License-Identifier: Apache-2.0
//
// CUDA runtime calls whose HIP counterparts take other arguments or answer otherwise.
//
// CUDA's C++ header accepts a kernel where HIP wants `const void*`, and any `T**` where HIP wants
// `void**`; CUDA 12 shortened some graph calls. What HIP serves itself (hipMalloc, hipHostMalloc,
// hipMemcpyToSymbol, the occupancy templates, hipLaunchCooperativeKernel ...) is not here.
#ifndef W2W_RUNTIME_SHIMS_H
#define W2W_RUNTIME_SHIMS_H

#include <hip/hip_runtime.h>

#include <cstddef>

// ---- Device properties -----------------------------------------------------------------------

// HIP's properties as code with warps of 32 must see them. `warpSize` is mapped to w2w_warp_size
// in such code, so `prop.warpSize` reads this member; HIP's own stays as the driver filled it.
#define W2W_DEVICE_PROP 1
struct w2w_device_prop : hipDeviceProp_t {
  int w2w_warp_size = 32;
};

// cudaGetDeviceProperties. On AMD the whole LDS of a block is there without opting in, and some
// ROCm versions leave the opt-in size 0.
inline hipError_t w2w_get_device_properties(w2w_device_prop* prop, int device) {
  const hipError_t error = hipGetDeviceProperties(static_cast<hipDeviceProp_t*>(prop), device);
  if (error != hipSuccess) return error;
  prop->w2w_warp_size = 32;
  if (prop->sharedMemPerBlockOptin < prop->sharedMemPerBlock) {
    prop->sharedMemPerBlockOptin = prop->sharedMemPerBlock;
  }
  return hipSuccess;
}
inline hipError_t w2w_get_device_properties(hipDeviceProp_t* prop, int device) {
  return hipGetDeviceProperties(prop, device);
}

// cudaDeviceGetAttribute, with the same two answers.
inline hipError_t w2w_device_get_attribute(int* value, hipDeviceAttribute_t attribute,
                                           int device) {
  if (attribute == hipDeviceAttributeWarpSize) {
    if (value == nullptr) return hipErrorInvalidValue;
    *value = 32;
    return hipSuccess;
  }
  const hipError_t error = hipDeviceGetAttribute(value, attribute, device);
  if (attribute == hipDeviceAttributeSharedMemPerBlockOptin &&
      (error != hipSuccess || *value == 0)) {
    return hipDeviceGetAttribute(value, hipDeviceAttributeMaxSharedMemoryPerBlock, device);
  }
  return error;
}

// ---- Attributes of a kernel ------------------------------------------------------------------

// cudaFuncSetAttribute. CUDA wants leave for more than 48 KB of shared memory; on AMD a block may
// use all there is (64 KB, 160 KB on gfx950) unasked, and nothing beyond. The carve-out between
// cache and shared memory does not exist.
inline hipError_t w2w_func_set_attribute(const void* kernel, hipFuncAttribute attribute,
                                         int value) {
  if (attribute == hipFuncAttributePreferredSharedMemoryCarveout) return hipSuccess;
  if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize) {
    return hipFuncSetAttribute(kernel, attribute, value);
  }
  int device = 0;
  int available = 0;
  hipError_t error = hipGetDevice(&device);
  if (error == hipSuccess) {
    error = hipDeviceGetAttribute(&available, hipDeviceAttributeMaxSharedMemoryPerBlock, device);
  }
  if (error != hipSuccess) return error;
  return value >= 0 && value <= available ? hipSuccess : hipErrorInvalidValue;
}
template <typename Kernel>
inline hipError_t w2w_func_set_attribute(Kernel* kernel, hipFuncAttribute attribute, int value) {
  return w2w_func_set_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

// cuFuncSetAttribute: the same for a function of a module.
inline hipError_t w2w_module_func_set_attribute(hipFunction_t function,
                                                hipFunction_attribute attribute, int value) {
  if (attribute == HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return hipSuccess;
  if (attribute != HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return hipErrorNotSupported;
  return w2w_func_set_attribute(static_cast<const void*>(function),
                                hipFuncAttributeMaxDynamicSharedMemorySize, value);
}

// cudaFuncSetCacheConfig, cudaFuncSetSharedMemConfig: hints for caches and banks that AMD GPUs do
// not let one choose.
template <typename Kernel>
inline hipError_t w2w_func_set_cache_config(Kernel*, hipFuncCache_t) {
  return hipSuccess;
}
template <typename Kernel>
inline hipError_t w2w_func_set_shared_mem_config(Kernel*, hipSharedMemConfig) {
  return hipSuccess;
}

// cudaFuncGetAttributes.
template <typename Kernel>
inline hipError_t w2w_func_get_attributes(hipFuncAttributes* attributes, Kernel* kernel) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}

// ---- Memory ----------------------------------------------------------------------------------

// cudaHostAlloc (the flags have the same values) and cudaMallocHost.
template <typename T>
inline hipError_t w2w_host_alloc(T** pointer, std::size_t size, unsigned flags = 0) {
  return hipHostMalloc(reinterpret_cast<void**>(pointer), size, flags);
}

// cudaMallocPitch.
template <typename T>
inline hipError_t w2w_malloc_pitch(T** pointer, std::size_t* pitch, std::size_t width,
                                   std::size_t height) {
  return hipMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}

// cudaHostGetDevicePointer.
template <typename T>
inline hipError_t w2w_host_get_device_pointer(T** device_pointer, void* host_pointer,
                                              unsigned flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void**>(device_pointer), host_pointer, flags);
}

// ---- Launches --------------------------------------------------------------------------------

// cudaLaunchKernel.
template <typename Kernel>
inline hipError_t w2w_launch_kernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes = 0, hipStream_t stream = nullptr) {
  return hipLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                         shared_bytes, stream);
}

// cudaLaunchCooperativeKernel: HIP's template takes 32-bit sizes and knows no default arguments.
template <typename Kernel>
inline hipError_t w2w_launch_cooperative_kernel(Kernel* kernel, dim3 grid, dim3 block,
                                                void** arguments, std::size_t shared_bytes = 0,
                                                hipStream_t stream = nullptr) {
  return hipLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                                    static_cast<unsigned>(shared_bytes), stream);
}

// cudaStreamWaitEvent: HIP 6.0 has no default for the flags, which must be 0.
inline hipError_t w2w_stream_wait_event(hipStream_t stream, hipEvent_t event, unsigned flags = 0) {
  return hipStreamWaitEvent(stream, event, flags);
}

// cudaEventCreate, in C++ also with flags.
inline hipError_t w2w_event_create(hipEvent_t* event) { return hipEventCreate(event); }
inline hipError_t w2w_event_create(hipEvent_t* event, unsigned flags) {
  return hipEventCreateWithFlags(event, flags);
}

// CUDART_CB, CUDARTAPI: calling conventions of Windows.
#define w2w_calling_convention

// ---- Graphs ----------------------------------------------------------------------------------

// cudaGraphInstantiate: (exec, graph, flags) since CUDA 12, with an error node and a log before.
inline hipError_t w2w_graph_instantiate(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long flags = 0) {
  return hipGraphInstantiateWithFlags(exec, graph, flags);
}
inline hipError_t w2w_graph_instantiate(hipGraphExec_t* exec, hipGraph_t graph,
                                        hipGraphNode_t* error_node, char* log, std::size_t size) {
  return hipGraphInstantiate(exec, graph, error_node, log, size);
}

// cudaGraphExecUpdate: (exec, graph, info) since CUDA 12, with two results before.
struct w2w_graph_exec_update_result_info {
  hipGraphExecUpdateResult result;
  hipGraphNode_t errorNode;
  hipGraphNode_t errorFromNode;
};
inline hipError_t w2w_graph_exec_update(hipGraphExec_t exec, hipGraph_t graph,
                                        w2w_graph_exec_update_result_info* info) {
  info->errorNode = nullptr;
  info->errorFromNode = nullptr;
  return hipGraphExecUpdate(exec, graph, &info->errorNode, &info->result);
}
inline hipError_t w2w_graph_exec_update(hipGraphExec_t exec, hipGraph_t graph,
                                        hipGraphNode_t* error_node,
                                        hipGraphExecUpdateResult* result) {
  return hipGraphExecUpdate(exec, graph, error_node, result);
}

// cudaStreamGetCaptureInfo: since CUDA 12 it tells the graph and its dependencies too.
inline hipError_t w2w_stream_get_capture_info(hipStream_t stream, hipStreamCaptureStatus* status,
                                              unsigned long long* id = nullptr,
                                              hipGraph_t* graph = nullptr,
                                              const hipGraphNode_t** dependencies = nullptr,
                                              std::size_t* count = nullptr) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

#endif  // W2W_RUNTIME_SHIMS_H
