import ArgumentParser
import BenchmarkKit
import Cairn
import Foundation
import Workloads

/// An engine author's program: every row and the whole report, for an engine written outside of Cairn.
///
/// ```swift
/// exit(BenchmarkProgram(FolderStore.self).run())
/// ```
///
/// The stores of the engine must be files or folders at the URL that they are opened with. The engine must
/// give new objects of an entity the keys from 1 on, in the order of their insertion: the checksums of
/// all contenders contain keys.
public struct BenchmarkProgram: Sendable {
    private let engines: MeasuredEngines

    /// Creates the program that measures Cairn's own engines, or one that measures engines written outside.
    ///
    /// The engines are registered under their types. The option `--engine` also takes the types of Cairn's
    /// own engines, so that one run can show both.
    public init(_ engines: any PersistentStore.Type...) {
        for engine in engines { PersistentStoreCoordinator.registerStoreClass(engine) }
        self.engines = MeasuredEngines(outside: engines.map { $0.type.rawValue })
    }

    /// Measures, prints each row as it is done, and writes the files that the arguments ask for.
    ///
    /// - Parameter arguments: the program's name, then options; `--help` explains them.
    /// - Returns: the program's exit code: 0 if everything was measured, 64 for arguments that make no
    ///   sense; otherwise 1, such as after a checksum that differs. A missed goal is no failure.
    public func run(_ arguments: [String] = CommandLine.arguments) -> Int32 {
        run(arguments, rows: Catalogue.workloads)
    }

    /// Runs the program on rows of the caller's choice.
    func run(_ arguments: [String], rows: [any Workload<Setting>]) -> Int32 {
        do {
            let command = try BenchmarkCommand.parse(Array(arguments.dropFirst()))
            try command.run(rows, measuring: engines)
            return 0
        } catch {
            let code = BenchmarkCommand.exitCode(for: error)
            let message = BenchmarkCommand.fullMessage(for: error)
            if code.isSuccess {
                print(message)
            } else if !message.isEmpty {
                FileHandle.standardError.write(Data("\(message)\n".utf8))
            }
            return code.rawValue
        }
    }
}
