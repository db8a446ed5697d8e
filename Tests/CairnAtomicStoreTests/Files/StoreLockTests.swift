import CairnTestSupport
import Foundation
import Testing

@testable import CairnAtomicStore
@testable import CairnFiles

@Suite struct `The lock of a whole-file store` {
    private let folder: TemporaryFolder
    private let file: DurableFile

    init() throws {
        folder = try TemporaryFolder()
        file = DurableFile(folder.file("store"))
    }

    private func take() throws -> StoreLock? {
        try StoreLock.takeIfFree(for: file)
    }

    private var isFileThere: Bool { access(StoreLock.path(of: file.path), F_OK) == 0 }

    @Test func `removes its file`() throws {
        var lock = try take()
        #expect(lock?.wasLeft == false)
        #expect(isFileThere)

        lock = nil

        #expect(!isFileThere)
        #expect(try take()?.wasLeft == false)
    }

    @Test func `shows that its last holder was killed`() throws {
        try Data().write(to: URL(fileURLWithPath: StoreLock.path(of: file.path)))

        let lock = try take()

        #expect(lock?.wasLeft == true)
    }

    @Test func `shows that its last holder left something to clean up`() throws {
        try take()?.leave()

        #expect(isFileThere)
        #expect(try take()?.wasLeft == true)
        #expect(!isFileThere)
    }

    @Test func `is held by one owner at a time`() throws {
        let lock = try take()

        let other = try take()

        #expect(lock != nil && other == nil)
    }
}
