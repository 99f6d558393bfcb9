// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's CUDA names on ROCm, for both generations of its headers.
//
// ROCm PyTorch from 2.11 on ("hipify 2") renames header files only: c10::cuda and at::cuda hold
// what CUDA code asks for, and nothing is defined here. Before that ("hipify 1", checked with 2.5,
// 2.8 and 2.10) c10::cuda was renamed to c10::hip with HIP in its names, and the types that tell
// PyTorch "this is a CUDA device" are called ...MasqueradingAsCUDA; this header gives them their
// CUDA names again. The generations are told apart by a macro that hipify 1 renamed.
//
// Include it with the maps off. It may be included again: the part on device properties waits for
// W2W_DEVICE_PROP (runtime_shims.h).

// The wrappers of gpu_compat/ that PyTorch's headers meet from here must not turn the maps on.
#if !defined(W2W_INSIDE_THIRD_PARTY)
#define W2W_INSIDE_THIRD_PARTY
#define W2W_TORCH_NAMESPACES_WENT_INSIDE
#endif

#ifndef W2W_TORCH_NAMESPACES_H
#define W2W_TORCH_NAMESPACES_H

#include <c10/hip/HIPException.h>

#if !defined(C10_CUDA_CHECK)  // hipify 1
#define W2W_TORCH_HIPIFY_1 1

#include <ATen/hip/impl/HIPCachingAllocatorMasqueradingAsCUDA.h>
#include <ATen/hip/impl/HIPGuardImplMasqueradingAsCUDA.h>
#include <ATen/hip/impl/HIPStreamMasqueradingAsCUDA.h>
#include <c10/hip/HIPCachingAllocator.h>
#include <c10/hip/HIPFunctions.h>
#include <c10/hip/HIPGraphsC10Utils.h>
#include <c10/hip/HIPMacros.h>

#define C10_CUDA_API C10_HIP_API
#define C10_CUDA_EXPORT C10_HIP_EXPORT
#define C10_CUDA_IMPORT C10_HIP_IMPORT
#define C10_CUDA_CHECK C10_HIP_CHECK
#define C10_CUDA_CHECK_WARN C10_HIP_CHECK_WARN
#define C10_CUDA_CLEAR_ERROR C10_HIP_CLEAR_ERROR
#define C10_CUDA_ERROR_HANDLED C10_HIP_ERROR_HANDLED
#define C10_CUDA_IGNORE_ERROR C10_HIP_IGNORE_ERROR
#define C10_CUDA_KERNEL_LAUNCH_CHECK C10_HIP_KERNEL_LAUNCH_CHECK

namespace c10 {

using CUDAError = HIPError;

namespace cuda {

// What hipify 1 left with its CUDA spelling: current_device, device_count, set_device,
// stream_synchronize, CaptureStatus, compat:: ... Names declared below come before these.
using namespace c10::hip;

using CUDAStream = c10::hip::HIPStreamMasqueradingAsCUDA;
using CUDAGuard = c10::hip::HIPGuardMasqueradingAsCUDA;
using OptionalCUDAGuard = c10::hip::OptionalHIPGuardMasqueradingAsCUDA;
using CUDAStreamGuard = c10::hip::HIPStreamGuardMasqueradingAsCUDA;
using OptionalCUDAStreamGuard = c10::hip::OptionalHIPStreamGuardMasqueradingAsCUDA;
using CUDAMultiStreamGuard = c10::hip::HIPMultiStreamGuardMasqueradingAsCUDA;
using CUDAStreamCaptureModeGuard = c10::hip::HIPStreamCaptureModeGuard;
using CUDAKernelLaunchRegistry = c10::hip::HIPKernelLaunchRegistry;

namespace impl {
using CUDAGuardImpl = c10::hip::HIPGuardImplMasqueradingAsCUDA;
}

inline CUDAStream getCurrentCUDAStream(DeviceIndex device_index = -1) {
  return c10::hip::getCurrentHIPStreamMasqueradingAsCUDA(device_index);
}

inline CUDAStream getDefaultCUDAStream(DeviceIndex device_index = -1) {
  return c10::hip::getDefaultHIPStreamMasqueradingAsCUDA(device_index);
}

inline void setCurrentCUDAStream(CUDAStream stream) {
  c10::hip::setCurrentHIPStreamMasqueradingAsCUDA(stream);
}

// Two overloads as in CUDAStream.h, so that a bool argument is no priority.
inline CUDAStream getStreamFromPool(const bool isHighPriority = false, DeviceIndex device = -1) {
  return c10::hip::getStreamFromPoolMasqueradingAsCUDA(isHighPriority, device);
}

inline CUDAStream getStreamFromPool(const int priority, DeviceIndex device = -1) {
  return CUDAStream(c10::hip::getStreamFromPool(priority, device));
}

inline CUDAStream getStreamFromExternal(hipStream_t ext_stream, DeviceIndex device_index) {
  return c10::hip::getStreamFromExternalMasqueradingAsCUDA(ext_stream, device_index);
}

namespace CUDACachingAllocator {

// The masquerading allocator hands every call but allocation on to the one behind it, so that
// raw_alloc, emptyCache, getDeviceStats ... and the types may come from there.
using namespace c10::hip::HIPCachingAllocator;

using CUDAAllocator = c10::hip::HIPCachingAllocator::HIPAllocator;
using c10::hip::HIPCachingAllocatorMasqueradingAsCUDA::get;

inline void recordStream(const DataPtr& data, CUDAStream stream) {
  c10::hip::HIPCachingAllocatorMasqueradingAsCUDA::recordStreamMasqueradingAsCUDA(data, stream);
}

}  // namespace CUDACachingAllocator
}  // namespace cuda
}  // namespace c10

// PyTorch lets at::cuda see c10::hip, whose own names (a HIPStream is no CUDA stream) must not win.
namespace at {
namespace cuda {

using c10::cuda::CUDAGuard;
using c10::cuda::CUDAKernelLaunchRegistry;
using c10::cuda::CUDAMultiStreamGuard;
using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamCaptureModeGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromExternal;
using c10::cuda::getStreamFromPool;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::OptionalCUDAStreamGuard;
using c10::cuda::setCurrentCUDAStream;
namespace CUDACachingAllocator = c10::cuda::CUDACachingAllocator;

}  // namespace cuda
}  // namespace at

#endif  // hipify 1
#endif  // W2W_TORCH_NAMESPACES_H

// Code with 32-lane semantics must see the same 32 on the host: PyTorch's own answers come from
// the driver and are 64 on gfx9. `w2w_device_prop` is HIP's structure with a warp size of 32.
#if defined(W2W_DEVICE_PROP) && !defined(W2W_TORCH_DEVICE_PROP_H)
#define W2W_TORCH_DEVICE_PROP_H

#include <ATen/hip/HIPContextLight.h>

#include <map>
#include <mutex>

namespace at {
namespace cuda {

// For at::cuda::warp_size(). Not called w2w_warp_size, which is warp32.h's global constant and
// would be hidden by a function of that name in code that stands in this namespace.
inline int w2w_logical_warp_size() { return 32; }

// For at::cuda::getDeviceProperties(); -1 is the current device. The pointer stays valid.
inline w2w_device_prop* w2w_device_properties(c10::DeviceIndex device) {
  static std::mutex guard;
  static std::map<int, w2w_device_prop> known;
  const hipDeviceProp_t* real =
      device < 0 ? getCurrentDeviceProperties() : getDeviceProperties(device);
  const int index = device < 0 ? static_cast<int>(current_device()) : static_cast<int>(device);
  const std::lock_guard<std::mutex> lock(guard);
  const auto place = known.try_emplace(index);
  if (place.second) static_cast<hipDeviceProp_t&>(place.first->second) = *real;
  return &place.first->second;
}

// For at::cuda::getCurrentDeviceProperties().
inline w2w_device_prop* w2w_current_device_properties() { return w2w_device_properties(-1); }

}  // namespace cuda
}  // namespace at

#endif  // W2W_DEVICE_PROP

#if defined(W2W_TORCH_NAMESPACES_WENT_INSIDE)
#undef W2W_TORCH_NAMESPACES_WENT_INSIDE
#undef W2W_INSIDE_THIRD_PARTY
#endif
