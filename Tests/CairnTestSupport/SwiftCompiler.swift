import Foundation

/// The Swift compiler, for tests of code that is compiled against the build under test.
public enum SwiftCompiler {
    /// Type-checks source files, which may import `Cairn`, as one module.
    ///
    /// - Parameters:
    ///   - macros: Whether the sources may use macros. The caller's target depends on them.
    ///   - isolation: The actor of declarations without another one. `nil` for none.
    /// - Returns: The compiler's messages. Empty if there are none.
    public static func check(
        _ sources: [URL], macros: Bool = false, isolation: String? = nil
    ) throws -> String {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        var arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-package-name", "tested"]
        arguments += ["-I", products.appending(path: "Modules").path]
        arguments += ["-Xcc", "-I/usr/include/libxml2"]
        for module in ["CairnCLinux", "CairnCSQLite", "CairnCLMDB", "CairnCLibXML2"] {
            let map = Repository.file("Sources/\(module)/module.modulemap")
            arguments += ["-Xcc", "-fmodule-map-file=\(map.path)"]
        }
        if macros {
            let plugin = products.appending(path: "CairnMacroPlugin-tool")
            arguments += ["-load-plugin-executable", "\(plugin.path)#CairnMacroPlugin"]
        }
        if let isolation { arguments += ["-default-isolation", isolation] }
        compiler.arguments = arguments + sources.map(\.path)
        let output = Pipe()
        compiler.standardError = output
        compiler.standardOutput = output
        try compiler.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }
}
