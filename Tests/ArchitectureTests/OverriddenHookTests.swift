import CairnTestSupport
import Foundation
import Testing

/// Overriding a Core Data hook that Cairn would never call does not compile.
@Suite struct `Overrides of Core Data's hooks` {
    /// Returns the compiler's diagnostics for a subclass of `ManagedObject` with the given members.
    private func compile(_ members: String, conformingTo protocols: String = "") throws -> String {
        let folder = try TemporaryFolder()
        let source = folder.url.appending(path: "Song.swift")
        try "import Cairn\nfinal class Song: ManagedObject\(protocols) {\n\(members)\n}\n"
            .write(to: source, atomically: true, encoding: .utf8)
        return try SwiftCompiler.check([source])
    }

    @Test(arguments: [
        ("override func willSave() {}", "Conform to SavePreparing"),
        (
            "override func validate(_ value: inout Value, forKey key: String) throws {}",
            "Conform to ValueValidating"
        ),
        ("override func validateForInsert() throws {}", "cannot be overridden"),
    ])
    func `are refused by the compiler`(_ member: String, _ advice: String) throws {
        let text = try compile(member)

        #expect(text.contains("error:") && text.contains(advice), "\(text)")
    }

    /// A control for the test above: without the override, the same source compiles.
    @Test func `compile as methods of the protocols`() throws {
        let text = try compile("func prepareForSave() {}", conformingTo: ", SavePreparing")

        #expect(text == "")
    }
}
