import Foundation

/// The Swift compiler, for tests of code that is compiled against the build under test.
public enum SwiftCompiler {
    /// Type-checks source files, which may import `Cairn`, as one module.
    ///
    /// - Returns: The compiler's diagnostics. Empty if there are no diagnostics.
    public static func check(_ sources: [URL]) throws -> String {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments =
            ["swiftc", "-typecheck", "-swift-version", "6", "-package-name", "tested"]
            + ["-I", products.appending(path: "Modules").path]
            + ["-Xcc", "-I/usr/include/libxml2"]
            + ["CairnCLinux", "CairnCSQLite", "CairnCLMDB", "CairnCLibXML2"]
            .flatMap { module in
                let map = Repository.file("Sources/\(module)/module.modulemap")
                return ["-Xcc", "-fmodule-map-file=\(map.path)"]
            }
            + sources.map(\.path)
        let output = Pipe()
        compiler.standardError = output
        compiler.standardOutput = output
        try compiler.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }
}
