"""The port as a user meets it: a tree goes in, gpu_compat/ comes out, nothing is lost."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warp2wave.errors import UsageError
from warp2wave.port.single_source import Port, diff_text, plan_port, undo_port, write_port
from warp2wave.records import port_record

KERNEL = b"""#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
// cudaMalloc in a comment \xff\xfe stays
__global__ void k(float *p) {
  float v = __shfl_down_sync(0xffffffff, p[threadIdx.x], 16);
  p[threadIdx.x] = v;
}
void run(float *p) {
  cudaStream_t s = at::cuda::getCurrentCUDAStream();
  k<<<1, 32, 0, s>>>(p);
  cudaStreamSynchronize(s);
}
"""


def make(root: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def ported(root: Path, fix: str = "safe") -> Port:
    port = plan_port(root, fix=fix)
    write_port(port, port_record(port))
    return port


def test_the_sources_stay_and_the_compat_folder_serves_what_they_use(tmp_path: Path) -> None:
    root = make(tmp_path, {"csrc/k.cu": KERNEL})
    port = ported(root)
    assert (root / "csrc/k.cu").read_bytes() == KERNEL
    maps = (root / "gpu_compat/hip/w2w_maps_on.h").read_text()
    assert "#define cudaStreamSynchronize hipStreamSynchronize" in maps
    assert "#define __shfl_down_sync w2w_shfl_down_sync" in maps
    assert "cudaMalloc" not in maps
    wrapper = (root / "gpu_compat/hip/ATen/cuda/CUDAContext.h").read_text()
    assert "#include <ATen/hip/HIPContext.h>" in wrapper
    assert (
        "#include_next <torch/extension.h>"
        in (root / "gpu_compat/hip/torch/extension.h").read_text()
    )
    assert (root / "gpu_compat/warp32.h").is_file()
    assert not port.plan.open_items


def test_f43_a_second_port_changes_nothing(tmp_path: Path) -> None:
    root = make(tmp_path, {"k.cu": KERNEL})
    ported(root)
    before = snapshot(root)
    times = {path: (root / path).stat().st_mtime_ns for path in before}
    again = ported(root)
    assert not again.changes_anything
    assert snapshot(root) == before
    assert {path: (root / path).stat().st_mtime_ns for path in before} == times


def test_f13_an_edit_after_the_port_is_followed(tmp_path: Path) -> None:
    root = make(tmp_path, {"k.cu": KERNEL})
    ported(root)
    (root / "k.cu").write_bytes(KERNEL + b"void g() { cudaDeviceSynchronize(); }\n")
    port = ported(root)
    assert sorted(str(write.path) for write in port.writes) == [
        "gpu_compat/README.md",
        "gpu_compat/hip/w2w_maps_off.h",
        "gpu_compat/hip/w2w_maps_on.h",
    ]


def test_headers_that_are_not_used_any_more_go(tmp_path: Path) -> None:
    root = make(tmp_path, {"k.cu": b"#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n"})
    ported(root)
    assert (root / "gpu_compat/hip/cuda_fp16.h").is_file()
    (root / "k.cu").write_bytes(b"#include <cuda_runtime.h>\n")
    ported(root)
    assert not (root / "gpu_compat/hip/cuda_fp16.h").exists()
    assert (root / "gpu_compat/hip/cuda_runtime.h").is_file()


def test_f10_launch_brackets_with_blanks_are_joined(tmp_path: Path) -> None:
    text = (
        b"#if 1\r\n__global__ void k(int);\r\nvoid f() { k << <1, 2 >> >(3); /* << < */ }\r\n#endif"
    )
    root = make(tmp_path, {"k.cu": text})
    port = ported(root)
    assert (root / "k.cu").read_bytes() == text.replace(b"k << <1, 2 >> >", b"k <<<1, 2 >>>")
    assert [edited.lines_changed for edited in port.edited] == [1]
    undo_port(root)
    assert snapshot(root) == {"k.cu": text}


def test_a_braced_grid_or_block_is_given_its_type(tmp_path: Path) -> None:
    text = (
        b"__global__ void k(int);\nvoid f() { k<<<{1, 2}, dim3{3}>>>(int{4}); k<<<1, {5}>>>(6); }\n"
    )
    root = make(tmp_path, {"k.cu": text})
    ported(root)
    assert (root / "k.cu").read_bytes() == text.replace(b"{1, 2}", b"dim3{1, 2}").replace(
        b"{5}", b"dim3{5}"
    )


def open_items(root: Path, *files: tuple[str, bytes]) -> dict[str, list[str]]:
    port = plan_port(make(root, dict(files)))
    return {item.subject: [str(p) for p in item.places] for item in port.plan.open_items}


def test_what_only_a_newer_rocm_has_is_named(tmp_path: Path) -> None:
    text = b"void f(cudaStream_t s) { cudaLaunchConfig_t c; cudaStreamSynchronize(s); }\n"
    assert open_items(tmp_path, ("k.cu", text)) == {"cudaLaunchConfig_t": ["k.cu:1:26"]}


def test_what_a_compat_header_defines_is_not_left_open(tmp_path: Path) -> None:
    text = (
        b"__global__ void k(__nv_bfloat162* b) { b[0] = __float2bfloat162_rn(1.0f); }\n"
        b"void f(cublasHandle_t h) { cublasSetMathMode(h, CUBLAS_DEFAULT_MATH); }\n"
    )
    assert open_items(tmp_path, ("k.cu", text)) == {}


def test_a_header_served_by_another_interface_is_named(tmp_path: Path) -> None:
    assert open_items(tmp_path, ("k.cu", b"#include <mma.h>\n")) == {"mma.h": ["k.cu:1:1"]}


def test_f53_bfloat16_casts_are_named_where_the_build_allows_them(tmp_path: Path) -> None:
    kernel = ("k.cu", b"float f(__nv_bfloat16 b) { return static_cast<float>(b); }\n")
    setup = b"CUDAExtension('x', ['k.cu'], extra_compile_args={'nvcc': [%b]})\n"
    flag = b"'-U__CUDA_NO_BFLOAT16_CONVERSIONS__'"
    assert open_items(tmp_path / "with", kernel, ("setup.py", setup % flag)) == {
        "bfloat16 conversions": ["k.cu:1:9"]
    }
    assert open_items(tmp_path / "without", kernel, ("setup.py", setup % b"'-O3'")) == {}


def test_fix_none_leaves_every_line(tmp_path: Path) -> None:
    text = b"void f() { k << <1, 2 >> >(3); }\n"
    root = make(tmp_path, {"k.cu": text})
    ported(root, fix="none")
    assert (root / "k.cu").read_bytes() == text


def test_a_gpu_compat_folder_of_the_users_is_refused(tmp_path: Path) -> None:
    root = make(tmp_path, {"k.cu": KERNEL, "gpu_compat/hip/cuda_runtime.h": b"// mine\n"})
    before = snapshot(root)
    with pytest.raises(UsageError, match=r"gpu_compat/hip/cuda_runtime\.h"):
        plan_port(root)
    assert snapshot(root) == before


def test_a_user_s_own_macro_for_hip_is_left_to_them(tmp_path: Path) -> None:
    text = b"#ifdef USE_ROCM\n#define cudaStream_t hipStream_t\n#endif\ncudaStream_t s;\n"
    port = plan_port(make(tmp_path, {"k.cu": text}))
    assert "cudaStream_t" not in {mapping.cuda for mapping in port.plan.api}


def test_hip_code_for_64_lanes_keeps_hip_s_warp_functions(tmp_path: Path) -> None:
    text = (
        b"#ifdef USE_ROCM\n#define WARP_SIZE 64\n#else\n#define WARP_SIZE 32\n#endif\n"
        b"__device__ float f(float v) { return __shfl_xor(v, WARP_SIZE / 2); }\n"
    )
    port = plan_port(make(tmp_path, {"k.cu": text}))
    assert not port.plan.device
    assert [item.subject for item in port.plan.open_items] == ["64-lane code"]


def test_what_has_no_counterpart_is_named_with_its_place(tmp_path: Path) -> None:
    text = b"#include <cuda/std/atomic>\nint f() { return cudaNoSuchCall(1); }\n"
    port = plan_port(make(tmp_path, {"k.cu": text}))
    items = {item.subject: item for item in port.plan.open_items}
    assert [str(place) for place in items["cudaNoSuchCall"].places] == ["k.cu:2:18"]
    assert "cuda/std/atomic" in items


def test_every_mapping_names_its_origin(tmp_path: Path) -> None:
    port = plan_port(make(tmp_path, {"k.cu": KERNEL}))
    for mapping in (*port.plan.api, *port.plan.device):
        assert mapping.origin
        assert mapping.cuda != mapping.replacement


def test_the_diff_is_a_patch_that_git_applies(tmp_path: Path) -> None:
    files = {
        "k.cu": b"void f() { k << <1, 2 >> >(3); } // \xff\n",
        "a b/\xc3\xa9.cuh".encode().decode(): b"int x;\n",
    }
    files = {"k.cu": files["k.cu"], "a b/é.cuh": b"int x;\n"}
    one = make(tmp_path / "one", files)
    two = make(tmp_path / "two", files)
    patch = diff_text(plan_port(one)).encode("utf-8", "surrogateescape")
    ported(one)
    subprocess.run(["git", "init", "-q", str(two)], check=True)
    subprocess.run(["git", "-C", str(two), "apply", "-"], input=patch, check=True)
    wanted = {k: v for k, v in snapshot(one).items() if not k.startswith(".warp2wave")}
    assert {k: v for k, v in snapshot(two).items() if not k.startswith(".git/")} == wanted


names = st.sampled_from(["k.cu", "a/b.cuh", "c d.cpp", "é.h", "data.bin", "setup.py"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        names,
        st.one_of(
            st.binary(max_size=200),
            st.lists(
                st.sampled_from(
                    [
                        b"#include <cuda_runtime.h>\n",
                        b"#include <cub/cub.cuh>\r\n",
                        b"k << <1,2>> >(x);",
                        b"cudaMalloc(",
                        b"/*",
                        b'"',
                        b"#if 0\n",
                        b"#endif\n",
                        b"\xff",
                        b"\\\n",
                        b"cub::",
                        b"<<<",
                        b"__launch_bounds__(1,2)",
                        b"warpSize",
                        b"namespace c = cub;",
                        b'R"(',
                        b"\0",
                    ]
                ),
                max_size=12,
            ).map(b"".join),
        ),
        max_size=4,
    )
)
def test_a_port_undone_is_the_original_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    root = make(tmp_path_factory.mktemp("tree"), files)
    before = snapshot(root)
    ported(root)
    assert not plan_port(root).changes_anything
    undo_port(root)
    assert snapshot(root) == before


def test_a_name_that_only_looks_the_same_is_to_be_checked(tmp_path: Path) -> None:
    text = (
        b"void f(void *p, int v) {\n"
        b"  cudaMallocManaged(&p, 4);\n"
        b"  cudaMemcpyToSymbol(s, &v, 4);\n}\n"
    )
    port = plan_port(make(tmp_path, {"k.cu": text}))
    assert [(item.subject, [str(p) for p in item.places]) for item in port.plan.to_check] == [
        ("cudaMallocManaged", ["k.cu:2:3"])
    ]
