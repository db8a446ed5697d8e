import CairnTestSupport
import Foundation
import Testing

/// Foundation's file writing loses data on Linux (reliability.md), so files are written with `CairnFiles`.
@Suite struct `Writing of files` {
    /// The conformance kit damages files on purpose, and may import only the contract. The benchmark's reports
    /// can be made again, and its sources are also built outside of this package.
    private static let exempt: Set<String> = [
        "CairnBenchmarks", "CairnConformance", "CairnFiles",
    ]

    private static func writers(in source: String) -> [String] {
        [
            #"\.write\(\s*to: \w*([uU][rR][lL]|[fF]ile|[pP]ath|[fF]older)"#,
            #"options: \.atomic"#, #"atomically:"#, #"\.createFile\("#,
            #"FileHandle\(for(Writing|Updating)"#, #"\bfopen\("#,
        ].filter { source.range(of: $0, options: .regularExpression) != nil }
    }

    @Test func `is left to one module`() throws {
        let files = try SourceFiles.all().filter { !Self.exempt.contains($0.module) }

        let found = files.flatMap { file in
            Self.writers(in: file.text).map { "\(file.path): \($0)" }
        }

        #expect(found == [])
        #expect(files.count > 100)
    }

    @Test(arguments: [
        "try data.write(to: file, options: .atomic)", "try data.write(to: url)",
        "try text.write(toFile: path, atomically: true, encoding: .utf8)",
        "FileManager.default.createFile(atPath: path, contents: nil)",
        "let handle = try FileHandle(forWritingTo: url)",
    ])
    func `is detected if it is planted elsewhere`(_ source: String) {
        let found = Self.writers(in: source)

        #expect(!found.isEmpty)
    }
}
