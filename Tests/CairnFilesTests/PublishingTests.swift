import CairnTestSupport
import Foundation
import Testing

@testable import CairnFiles

@Suite struct `Publishing a new file` {
    private let folder: TemporaryFolder
    private let (made, name): (String, String)

    init() throws {
        folder = try TemporaryFolder()
        (made, name) = (folder.file("made").path, folder.file("name").path)
        try PosixFile.write(Data("new".utf8), toNew: made)
    }

    private typealias Way = @Sendable (String, String) throws -> Bool

    private static let ways: [Way] = [
        { try PosixFile.publish($0, as: $1) }, { try PosixFile.publishByLink($0, as: $1) },
    ]

    @Test(arguments: ways.indices)
    func `gives it its name, but no second one`(_ way: Int) throws {
        let isPublished = try Self.ways[way](made, name)

        #expect(isPublished)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["name"])
        #expect(try OpenedFile(at: name).name() == .theFile(linkCount: 1))
    }

    @Test(arguments: ways.indices)
    func `replaces nothing`(_ way: Int) throws {
        try PosixFile.write(Data("old".utf8), toNew: name)

        let isPublished = try Self.ways[way](made, name)

        #expect(!isPublished)
        #expect(try PosixFile.read(name) == Data("old".utf8))
        #expect(try PosixFile.read(made) == Data("new".utf8))
    }

    @Test func `gives a folder its name, and does not replace an empty one`() throws {
        let (made, name) = (folder.file("made folder").path, folder.file("a folder").path)
        #expect(mkdir(made, 0o700) == 0)

        let first = try PosixFile.publish(made, as: name)
        #expect(mkdir(made, 0o700) == 0)
        let second = try PosixFile.publish(made, as: name)

        #expect(first && !second)
    }
}

@Suite struct `A temporary folder` {
    @Test func `is considered abandoned only when its process has ended`() throws {
        let folder = try TemporaryFolder()
        let prefix = folder.file(".store.copy-").path
        var work: WorkFolder? = try WorkFolder.make(prefix: prefix)
        // Names that look like work folders: a folder of a user's store, and one that belongs to a file with
        // a similar name.
        for name in [".store.copy-of mine", ".store.copy-1.copy-\(UUID().uuidString)"] {
            #expect(mkdir(folder.file(name).path, 0o700) == 0)
        }

        let whileHeld = WorkFolder.abandoned(prefix: prefix).map(\.path)
        let path = try #require(work?.path)
        work = nil
        let after = WorkFolder.abandoned(prefix: prefix)
        after.forEach { $0.remove() }

        #expect(whileHeld == [])
        #expect(after.map(\.path) == [path])
        #expect(access(path, F_OK) != 0)
    }
}
