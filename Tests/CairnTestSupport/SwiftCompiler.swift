import Foundation

/// The Swift compiler, for tests of what compiles against the build that is under test.
public enum SwiftCompiler {
    /// Checks source files that may import `Cairn`, all as one module.
    ///
    /// - Returns: what the compiler says. Empty if it says nothing.
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
