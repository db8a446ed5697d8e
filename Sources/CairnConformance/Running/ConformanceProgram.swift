import Foundation

/// The main program of an engine author. It tests an engine, and also acts as the other process that
/// rules need.
///
/// ```swift
/// exit(ConformanceProgram(EngineHarness(FolderStore.self, worker: .thisProgram())).run())
/// ```
public struct ConformanceProgram: Sendable {
    private let harness: any StoreHarness

    /// Creates a program.
    ///
    /// - Parameter harness: A harness whose worker is this program.
    public init(_ harness: any StoreHarness) { self.harness = harness }

    /// Runs the kit, and prints the broken rules and the summary. If the arguments say so, acts as a
    /// worker for a rule of another process instead.
    ///
    /// - Parameter arguments: The program's name, followed by the names of topics, such as `saving`, to
    ///   run only their rules. `--rule WORDS` runs only rules with these words, `--seed NUMBER` repeats a
    ///   run, and `--list` prints the rules without running them. `--json FILE` and `--junit FILE` also
    ///   write the results to files, as JSON and in JUnit's XML format.
    /// - Returns: The program's exit code: 0 if the engine conforms and the files were written, if rules
    ///   were listed, or if the worker has ended; 2 for invalid arguments; otherwise 1.
    public func run(_ arguments: [String] = CommandLine.arguments) -> Int32 {
        if arguments.last == WorkerExecutable.argument {
            var worker = ConformanceWorker(harness)
            worker.serve()
            return 0
        }
        do {
            let command = try Command(arguments.dropFirst())
            let rules = try ConformanceRule.selected(topics: command.topics, words: command.words)
            if command.lists {
                for rule in rules { print(rule) }
                return 0
            }
            return ConformanceRunner(harness, rules: rules, seed: command.seed)
                .runAndPrint(to: command.files)
        } catch {
            print(error)
            return 2
        }
    }

    /// The parsed arguments.
    private struct Command {
        var topics: [String] = []
        var words: String?
        var seed: UInt64?
        var lists = false
        var files = ReportFiles()

        init(_ arguments: ArraySlice<String>) throws(RuleSelectionError) {
            var rest = Array(arguments.reversed())
            func next(_ missing: String) throws(RuleSelectionError) -> String {
                if let next = rest.popLast() { return next }
                throw RuleSelectionError(description: missing)
            }
            while let argument = rest.popLast() {
                switch argument {
                case "--list": lists = true
                case "--rule": words = try next("--rule needs the name of a rule, or a part of it.")
                case "--seed":
                    guard let number = UInt64(try next("--seed needs a number.")) else {
                        throw RuleSelectionError(description: "--seed needs a number.")
                    }
                    seed = number
                case "--json": files.json = try next("--json needs the path of a file.")
                case "--junit": files.junit = try next("--junit needs the path of a file.")
                default: topics.append(argument)
                }
            }
        }
    }
}
