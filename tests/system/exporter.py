"""An exporter of our own: DCGM-style series for 64 GPUs on 8 machines, one of which a test breaks."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

NODES = 8
GPUS = 8
BROKEN = ("gpu-00003", 4)
"""The machine and the GPU that falls off the bus."""
BUS = ("0f", "2d", "44", "5b", "4e", "9a", "b7", "d3")


def labels(node: str, gpu: int) -> str:
    """Return the labels of one GPU, as dcgm-exporter writes them."""
    uuid = f"GPU-{node[-5:]}{gpu:03d}-0000-4000-8000-000000000000"
    return (
        f'gpu="{gpu}",UUID="{uuid}",pci_bus_id="00000000:{BUS[gpu]}:00.0",device="nvidia{gpu}",'
        f'modelName="NVIDIA H100 80GB HBM3",Hostname="{node}"'
    )


def gpus() -> Iterator[tuple[str, int]]:
    """Yield every machine and GPU."""
    for number in range(NODES):
        for gpu in range(GPUS):
            yield f"gpu-{number:05d}", gpu


def history(now_s: int, length_s: int, step_s: int) -> str:
    """Return temperatures of the past in OpenMetrics, for promtool."""
    rows = ["# TYPE DCGM_FI_DEV_GPU_TEMP gauge"]
    for node, gpu in gpus():
        rows += [
            f"DCGM_FI_DEV_GPU_TEMP{{{labels(node, gpu)}}} {58 + gpu} {at}"
            for at in range(now_s - length_s, now_s - step_s, step_s)
        ]
    return "\n".join([*rows, "# EOF\n"])


class Exporter:
    """`with Exporter() as exporter: … exporter.address`; `broken` is set by a test."""

    def __init__(self) -> None:
        """Bind a free port."""
        self.broken = threading.Event()
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = exporter.text().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """Return host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    def text(self) -> str:
        """Return all series as they are now."""
        rows = ["# TYPE DCGM_FI_DEV_GPU_TEMP gauge"]
        rows += [f"DCGM_FI_DEV_GPU_TEMP{{{labels(node, gpu)}}} {58 + gpu}" for node, gpu in gpus()]
        rows.append("# TYPE DCGM_FI_DEV_XID_ERRORS gauge")
        for node, gpu in gpus():
            code = 79 if self.broken.is_set() and (node, gpu) == BROKEN else 0
            rows.append(f"DCGM_FI_DEV_XID_ERRORS{{{labels(node, gpu)}}} {code}")
        return "\n".join([*rows, ""])

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
