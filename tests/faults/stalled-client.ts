import { dlopen, ptr } from "bun:ffi";

const [internet, stream, tcp, maxSegment] = [2, 1, 6, 2];
/** The bytes of a segment on Ethernet. Segments of the loopback interface are so long that Linux buffers whole replies. */
const segmentBytes = 1_448;
const { symbols: libc } = dlopen("libc.so.6", {
  socket: { args: ["int", "int", "int"], returns: "int" },
  setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" },
  connect: { args: ["int", "ptr", "u32"], returns: "int" },
  send: { args: ["int", "ptr", "u64", "int"], returns: "i64" },
});

/** Sends a small request to a port of 127.0.0.1, and receives nothing while this process runs. */
export function sendWithoutReceiving(port: number, request: Uint8Array): void {
  const socket = libc.socket(internet, stream, 0);
  const length = new Int32Array([segmentBytes]);
  const address = new DataView(new ArrayBuffer(16));
  address.setUint16(0, internet, true);
  address.setUint16(2, port);
  address.setUint32(4, 0x7f_00_00_01);
  const isSent =
    libc.setsockopt(socket, tcp, maxSegment, ptr(length), length.byteLength) === 0 &&
    libc.connect(socket, ptr(address), address.byteLength) === 0 &&
    Number(libc.send(socket, ptr(request), request.byteLength, 0)) === request.byteLength;
  if (!isSent) throw new Error("a request could not be sent");
}
