import Foundation

/// A program that rules run as another process. It must call ``ConformanceProgram/run(_:)``.
///
/// A durable engine cannot be tested without such a program: the effects between processes, and the
/// effect of a damaged file on a process, can only be observed in another process.
public struct WorkerExecutable: Sendable {
    /// The program's file.
    package let url: URL
    /// The arguments that the program is started with. The kit adds ``argument`` after them.
    package let arguments: [String]

    /// The argument that makes a program a worker.
    package static let argument = "--cairn-conformance-worker"

    /// Creates a reference to a program. Whether the program exists is checked only when it is started.
    package init(_ url: URL, arguments: [String] = []) {
        self.url = url
        self.arguments = arguments
    }

    /// Returns the running program, to be started again as another process.
    ///
    /// - Parameter arguments: The arguments that the other process needs to create the same harness.
    public static func thisProgram(_ arguments: [String] = []) -> WorkerExecutable {
        WorkerExecutable(
            Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]),
            arguments: arguments)
    }

    /// Returns a program that the same package builds for tests. It is in the same folder as the test
    /// program.
    ///
    /// - Parameters:
    ///   - name: The name of the executable target.
    ///   - arguments: The arguments that the other process needs to create the same harness.
    public static func built(_ name: String, arguments: [String] = []) -> WorkerExecutable {
        var folder = thisProgram().url.deletingLastPathComponent()
        #if canImport(Darwin)
        // On Darwin, the test program is xctest. The test bundle is in the folder of the products.
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        #endif
        folder = folder.standardizedFileURL
        return WorkerExecutable(folder.appending(path: name), arguments: arguments)
    }
}
