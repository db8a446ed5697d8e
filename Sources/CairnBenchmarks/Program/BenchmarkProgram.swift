import ArgumentParser
import BenchmarkKit
import Cairn
import Foundation
import Workloads

/// A benchmark program for an engine author: every row and the whole report, for an engine outside of Cairn.
///
/// ```swift
/// exit(BenchmarkProgram(FolderStore.self).run())
/// ```
///
/// The stores of the engine must be files or folders at the URL with which they are opened. The engine must
/// give new objects of an entity the keys 1, 2, 3 and so on, in the order of their insertion, because the
/// checksums of all contenders include keys.
public struct BenchmarkProgram: Sendable {
    private let engines: MeasuredEngines

    /// Creates a program that measures the given engines, or Cairn's own engines if none are given.
    ///
    /// The engines are registered under their types. The option `--engine` also accepts the types of Cairn's
    /// own engines, so that one run can show both.
    public init(_ engines: any PersistentStore.Type...) {
        for engine in engines { PersistentStoreCoordinator.registerStoreClass(engine) }
        self.engines = MeasuredEngines(outside: engines.map { $0.type.rawValue })
    }

    /// Measures the rows, prints each when it is done, and writes the files that the arguments request.
    ///
    /// - Parameter arguments: The program's name, followed by options. `--help` explains them.
    /// - Returns: The program's exit code: 0 if everything was measured, 64 if the arguments are invalid, and
    ///   otherwise 1, for example after a checksum mismatch. A missed goal is not a failure.
    public func run(_ arguments: [String] = CommandLine.arguments) -> Int32 {
        run(arguments, rows: Catalogue.workloads)
    }

    /// Runs the program with the given rows.
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
