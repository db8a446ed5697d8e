import CairnFiles
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Copying a file` {
    /// More bytes than are read at a time, and not a multiple of that number.
    private static let content = Data((0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func expectCopy(of source: URL, at copy: URL, _ content: Data) throws {
        try content.write(to: source)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: source.path)

        try PosixFile.copy(source.path, toNew: copy.path)

        let permissions = try FileManager.default.attributesOfItem(atPath: copy.path)[
            .posixPermissions]
        #expect(try Data(contentsOf: copy) == content)
        #expect(permissions as? Int == 0o640)
    }

    @Test(arguments: [0, 1, content.count])
    func `keeps its bytes and its permissions`(byteCount: Int) throws {
        let folder = try TemporaryFolder()

        try expectCopy(
            of: folder.file("old"), at: folder.file("new"), Self.content.prefix(byteCount))
    }

    /// A file that the kernel generates has a size of zero, and the system's copy functions copy nothing.
    @Test(.enabled(if: access("/proc/version", R_OK) == 0))
    func `copies files that the system's functions do not copy`() throws {
        let folder = try TemporaryFolder()
        let copy = folder.file("new")

        try PosixFile.copy("/proc/version", toNew: copy.path)

        #expect(try Data(contentsOf: copy).starts(with: Data("Linux version".utf8)))
    }
}
