import CairnTestSupport
import Foundation
import Testing

/// The tests of a module are in a target of the same name, in folders that match the module's folders.
@Suite struct `Test layout` {
    @Test func `has a target for each module, with no folder that the module lacks`() throws {
        let layout = try TestLayout(root: Repository.root)

        #expect(layout.violations == [])
        #expect(layout.modules.count > 15)
    }

    @Test func `notices a module without tests, and a folder without counterpart`() throws {
        let folder = try TemporaryFolder()
        for path in [
            "Sources/CairnLight/Saving/Save.swift", "Sources/CairnDark/Dark.swift",
            "Sources/CairnCSystem/module.modulemap", "Sources/CairnShell/main.swift",
            "Tests/CairnLightTests/LightTests.swift",
            "Tests/CairnLightTests/Saving/SaveTests.swift",
            "Tests/CairnLightTests/Saving/Deeper/SaveTests.swift",
            "Tests/CairnLightTests/Reading/ReadTests.swift",
        ] {
            let file = folder.file(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
        }

        let violations = try TestLayout(root: folder.url).violations

        #expect(
            violations == [
                "CairnDark has no tests: Tests/CairnDarkTests is not there",
                "Tests/CairnLightTests/Reading has no counterpart in Sources/CairnLight",
                "Tests/CairnLightTests/Saving/Deeper has no counterpart in Sources/CairnLight",
            ])
    }
}
