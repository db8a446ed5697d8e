import CairnStore
import Foundation

/// Serves the stores of a folder through a Unix socket. Each connection has its own thread.
package final class SocketServer: Sendable {
    private let descriptor: Int32
    private let folder: URL
    private let engine: any PersistentStore.Type
    private let sessions = ServedSessions()

    /// Listens at a path. Replaces a socket that a killed server left there.
    ///
    /// - Throws: An error that names the system call that failed.
    package init(
        socketPath: String, storesIn folder: URL, engine: any PersistentStore.Type
    ) throws {
        self.folder = folder
        self.engine = engine
        descriptor = try SocketChannel.makeSocket()
        let listener = descriptor
        unlink(socketPath)
        let code = SocketChannel.withAddress(of: socketPath) { bind(listener, $0, $1) }
        guard code == 0, listen(listener, 64) == 0 else {
            throw ChannelFailure(operation: "listen", code: code ?? ENAMETOOLONG)
        }
    }

    deinit { close(descriptor) }

    /// Accepts connections until the program ends.
    package func run() {
        while true {
            let connected = accept(descriptor, nil, nil)
            if connected < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            Thread { [engine, folder, sessions] in
                let channel = SocketChannel(descriptor: connected)
                ServerConnection(engine, folder, sessions).serve(channel)
            }.start()
        }
    }
}
