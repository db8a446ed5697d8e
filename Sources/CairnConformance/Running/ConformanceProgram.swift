import Foundation

/// An engine author's program: it proves an engine, and is the other process that rules need.
///
/// ```swift
/// exit(ConformanceProgram(EngineHarness(FolderStore.self, worker: .thisProgram())).run())
/// ```
public struct ConformanceProgram: Sendable {
    private let harness: any StoreHarness

    /// - Parameter harness: one whose worker is this program.
    public init(_ harness: any StoreHarness) { self.harness = harness }

    /// Runs the kit and prints the broken rules and the summary; or serves a rule of another
    /// process, where the arguments say so.
    ///
    /// - Parameter arguments: the program's name, then topics, such as `saving`: only their rules
    ///   run. None: all.
    /// - Returns: the program's exit code: 0 where the engine conforms, or the rule's process has
    ///   ended; 2 where there is no such topic; else 1.
    public func run(_ arguments: [String] = CommandLine.arguments) -> Int32 {
        if arguments.last == WorkerExecutable.argument {
            var worker = ConformanceWorker(harness)
            worker.serve()
            return 0
        }
        var rules: [ConformanceRule] = []
        for name in arguments.dropFirst() {
            guard let topic = ConformanceTopic.named(name) else {
                let known = ConformanceTopic.all.map(\.name).joined(separator: ", ")
                print("There is no topic “\(name)”. Topics: \(known).")
                return 2
            }
            rules += topic.rules
        }
        return ConformanceRunner(harness, rules: rules.isEmpty ? ConformanceRule.all : rules)
            .runAndPrint()
    }
}
