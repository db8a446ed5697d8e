import CairnTestSupport
import Foundation
import Testing

/// Only the listed files contain unsafe code.
@Suite struct `Unsafe code` {
    /// A file with one line for each source file: its path, a colon, and the kinds of unsafe code in it.
    private static let list = "Tests/ArchitectureTests/UnsafeCode.txt"

    @Test func `is only in the listed files, and of the listed kinds`() throws {
        let text = try String(contentsOf: Repository.file(Self.list), encoding: .utf8)
        let listed = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }

        let found = try SourceFiles.all().compactMap { file -> String? in
            let uses = UnsafeCode.uses(in: file.text).map(\.rawValue).sorted()
            return uses.isEmpty ? nil : "\(file.path): \(uses.joined(separator: ", "))"
        }

        #expect(Set(found).subtracting(listed) == [], "unsafe code that is not on the list")
        #expect(Set(listed).subtracting(found) == [], "the list names what is not there any more")
    }

    @Test(arguments: [
        ("    let context: Unmanaged<Context>", UnsafeCode.Use.unmanaged),
        ("    @exclusivity(unchecked) var count = 0", .exclusivity),
        ("@inline(never) @_effects(readonly) func f() {}", .effects),
        ("    unowned(unsafe) var owner: Owner", .uncountedVariable),
        ("        return unsafeDowncast(object, to: T.self)", .cast),
        ("    object._withUnsafeGuaranteedRef { $0 }", .guaranteedReference),
        ("nonisolated(unsafe) var shared = 0", .isolation),
        ("final class Box: @unchecked Sendable {", .sendable),
        ("    private let base: UnsafePointer<Int>", .storedPointer),
    ])
    func `is detected`(_ source: String, _ use: UnsafeCode.Use) {
        let uses = UnsafeCode.uses(in: source)

        #expect(uses == [use])
    }

    @Test(arguments: [
        "/// Like an `Unmanaged` reference.", "    var base: UnsafePointer<Int> { start }",
        "    func f(_ base: UnsafePointer<Int>) {}", "let unmanagedContext = 1",
    ])
    func `is not detected in safe code`(_ source: String) {
        let uses = UnsafeCode.uses(in: source)

        #expect(uses == [])
    }
}
