import ArgumentParser
import Cairn
import CairnConformance
import Foundation

/// A benchmark program for an engine author: Cairn's rows and the whole report, for an engine outside of Cairn.
///
/// ```swift
/// exit(BenchmarkProgram(EngineHarness(FolderStore.self)).run())
/// ```
///
/// The stores are those of the harness, so they can be files, or belong to a service. The engine must give new
/// objects of an entity the keys 1, 2, 3 and so on, in the order of their insertion, because the checksums of all
/// contenders include keys.
public struct BenchmarkProgram {
    private let engines: MeasuredEngines

    /// Creates a program that measures engines, or Cairn's own engines if there are no harnesses.
    ///
    /// The engines are registered under their types. The option `--engine` also accepts the types of Cairn's
    /// own engines, so that one run can show both.
    ///
    /// - Parameters:
    ///   - harnesses: Provide the engines and the locations of their stores. Their stores are opened by a
    ///     coordinator, with ``CairnConformance/StoreHarness/options``.
    ///   - baseline: An engine of another type that does the same work. Times are shown as ratios to its
    ///     times, and it is the mark beside the bars of the first screen.
    ///   - contenders: Returns contenders that are not Cairn's for a part of a row, such as the client
    ///     library of a service. The report shows a contender with the role `baseline` in the same way as the
    ///     engine `baseline`.
    public init(
        _ harnesses: any StoreHarness..., baseline: (any StoreHarness)? = nil,
        contenders: @escaping (BenchmarkRow) throws -> [Contender] = { _ in [] }
    ) {
        var additions = Additions()
        additions.contenders = contenders
        engines = MeasuredEngines(harnesses, baseline: baseline, additions: additions)
    }

    /// Creates a program that measures Cairn's own engines, with additions to the rows.
    package init(additions: Additions) {
        engines = MeasuredEngines(additions: additions)
    }

    /// Measures the rows, prints each when it is done, and writes the files that the arguments request.
    ///
    /// - Parameter arguments: The program's name, followed by options. `--help` explains them.
    /// - Returns: The program's exit code: 0 if everything was measured, 64 if the arguments are invalid, and
    ///   otherwise 1, for example after a checksum mismatch. A missed goal is not a failure.
    public func run(_ arguments: [String] = CommandLine.arguments) -> Int32 {
        do {
            let command = try BenchmarkCommand.parse(Array(arguments.dropFirst()))
            try command.run(measuring: engines)
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
