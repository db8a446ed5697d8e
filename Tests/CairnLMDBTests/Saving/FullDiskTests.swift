import CairnLMDB
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Stores on a file system of one megabyte. Only root can mount it.
@Suite(.serialized) struct `An LMDB store on a full disk` {
    @Test func `reports that the disk is full, whichever write fails`() throws {
        guard let disk = try SmallDisk(for: "LMDB, a full disk") else { return }
        for byteCount in [300, 5_000, 50_000] {
            let fixture = try LMDBFixture()
            let file = disk.folder.file("store-\(byteCount)")
            let store = try LMDBStore.open(
                OpenRequest(location: .file(file), model: fixture.model, layouts: fixture.layouts))
            let label = Value.string(String(repeating: "f", count: byteCount))
            var saved: Int64 = 0
            let error = #expect(throws: StoreError.self) {
                while saved < 5_000 {
                    let rows = try (1...Int64(7)).map {
                        try fixture.row(store, "Tag", saved + $0, ["label": label])
                    }
                    try fixture.insert(store, rows)
                    saved += 7
                }
            }

            switch error {
            case .engineFailure(let failure)?, .commitOutcomeUnknown(let failure)?:
                #expect(failure.code == Int(ENOSPC))
                #expect(failure.message.contains("No space left"))
            default: Issue.record("\(String(describing: error))")
            }
            // The saved rows remain, and a later save uses the space that other saves freed.
            let tags = FetchPlan(entity: try fixture.entity("Tag"))
            #expect(try store.snapshot().count(tags) == Int(saved))
            try store.close()
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test func `is refused without crashing if there is no room for its lock file`() throws {
        guard let disk = try SmallDisk(for: "LMDB, a full disk") else { return }
        let fixture = try LMDBFixture()
        let file = disk.folder.file("store")
        try LMDBStore.open(
            OpenRequest(location: .file(file), model: fixture.model, layouts: fixture.layouts)
        ).close()
        try FileManager.default.removeItem(atPath: file.path + "-lock")
        #expect(disk.fill())

        let worker = try WorkerProcess("library", "count", file.path, "0")

        #expect(worker.line()?.contains("No space left") == true)
        #expect(worker.end() == .code(3))
    }
}
