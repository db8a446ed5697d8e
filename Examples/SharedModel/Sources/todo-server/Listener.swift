import Foundation
import TodoPrograms

/// A socket that accepts the connections of this machine, on a thread of its own.
struct Listener {
    let connections: AsyncStream<Connection>

    /// - Throws: ``ProgramFailure`` if the port is in use.
    init(port: UInt16) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var reuse: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(socket, $0.baseAddress, socklen_t(bytes.count)) == 0
            }
        }
        guard isBound, listen(socket, 16) == 0 else {
            throw ProgramFailure(
                "the port \(port) cannot be used: \(String(cString: strerror(errno)))")
        }
        connections = AsyncStream { continuation in
            Thread.detachNewThread {
                while true {
                    let accepted = accept(socket, nil, nil)
                    if accepted >= 0 { continuation.yield(Connection(socket: accepted)) }
                }
            }
        }
    }
}
