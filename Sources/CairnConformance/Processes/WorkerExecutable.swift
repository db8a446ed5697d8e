import Foundation

/// A program that rules run as another process: one that calls ``ConformanceProgram/run(_:)``.
///
/// Without one a durable engine cannot be proved: what happens between processes, and what a
/// damaged file does to a process, shows in another process only.
public struct WorkerExecutable: Sendable {
    /// The program's file.
    public let url: URL
    /// What it is started with; the kit adds ``argument`` behind them.
    public let arguments: [String]

    /// What tells a program that it is to be a worker.
    public static let argument = "--cairn-conformance-worker"

    /// Names a program; that it is there shows when it is started.
    public init(_ url: URL, arguments: [String] = []) {
        self.url = url
        self.arguments = arguments
    }

    /// The program that is running, to be started once more.
    ///
    /// - Parameter arguments: what a second process needs to come to the same harness.
    public static func thisProgram(_ arguments: [String] = []) -> WorkerExecutable {
        WorkerExecutable(
            Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]),
            arguments: arguments)
    }

    /// A program that the same package builds, for a test: it stands beside the tests' own.
    ///
    /// - Parameter name: that of the executable target.
    public static func built(_ name: String, arguments: [String] = []) -> WorkerExecutable {
        var folder = thisProgram().url.deletingLastPathComponent()
        #if canImport(Darwin)
        // The tests' program is xctest there; the bundle stands among the products.
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        #endif
        folder = folder.standardizedFileURL
        return WorkerExecutable(folder.appending(path: name), arguments: arguments)
    }
}
