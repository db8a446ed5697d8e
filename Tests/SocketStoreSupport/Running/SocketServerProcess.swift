import CairnConformance
import CairnProcesses
import Foundation

/// A server process with its socket and its stores in one folder. Only one thread may use it at a time.
package final class SocketServerProcess {
    /// A server did not start or end as expected.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder with the server's stores and its socket.
    package let folder: URL
    private let process: ChildProcess

    /// Starts a server. Creates its folder if necessary.
    ///
    /// - Throws: An error if the server does not report that it listens.
    package init(in folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process = try ChildProcess(
            WorkerExecutable.built("TestWorker").url.path,
            ["serve", Self.socketPath(in: folder), folder.path])
        guard try process.nextLine() == Array("ready".utf8) else {
            throw Failure(description: "the server does not listen")
        }
    }

    /// Returns the path of the socket on which the server of a folder listens.
    package static func socketPath(in folder: URL) -> String {
        folder.appending(path: "socket").path
    }

    /// Returns the address of a store of the server.
    package func address(_ name: String) -> SocketAddress {
        SocketAddress(socketPath: Self.socketPath(in: folder), storeName: name)
    }

    /// Ends the server and removes its folder.
    package func end() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try process.send(Array("end\n".utf8))
        let end = try process.end()
        guard end == .code(0) else {
            throw Failure(description: "the server ended with \(end)")
        }
    }

    /// Kills the server. Its folder remains.
    package func kill() { process.killNow() }
}
