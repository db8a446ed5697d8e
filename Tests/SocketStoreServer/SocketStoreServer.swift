import CairnLMDB
import Foundation
import SocketStoreSupport

/// Serves LMDB stores over a Unix socket until its standard input says something, or ends.
///
/// Usage: `SocketStoreServer <path of the socket> <folder of the stores>`
@main enum SocketStoreServer {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(2) }
        let server = try SocketServer(
            socketPath: arguments[1], storesIn: URL(fileURLWithPath: arguments[2]),
            engine: LMDBStore.self)
        Thread { server.run() }.start()
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        _ = readLine()
        exit(0)
    }
}
