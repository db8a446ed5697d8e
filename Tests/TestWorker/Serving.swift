import CairnLMDB
import Foundation
import SocketStoreSupport

/// The process that contains the stores of `SocketStoreSupport`.
///
///     serve SOCKET FOLDER    serves LMDB stores until its standard input receives a line or ends
enum Serving {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw WrongArguments(arguments) }
        let server = try SocketServer(
            socketPath: arguments[0], storesIn: URL(fileURLWithPath: arguments[1]),
            engine: LMDBStore.self)
        Thread { server.run() }.start()
        TestWorker.say("ready")
        _ = readLine()
        exit(0)
    }
}
