import CairnBinary
import CairnStoreCopying
import Foundation
import Testing

@Suite struct `Store copier` {
    private let stores: StoreWithoutGraph

    init() throws { stores = try StoreWithoutGraph() }

    @Test func `copies a store without a graph`() throws {
        let source = try stores.source()
        let file = stores.folder.file("copy")

        let progress = try StoreCopier(to: BinaryStore.self)
            .makeCopy(of: source, at: .file(file)) { _ in .proceed }

        #expect(progress.objectCount == progress.totalObjectCount)
        #expect(try stores.itemCount(of: file) == 6)
    }

    @Test func `reports when a copy is cancelled, and leaves nothing`() throws {
        let source = try stores.source()
        let file = stores.folder.file("copy")

        let error = #expect(throws: StoreCopyError.self) {
            try StoreCopier(to: BinaryStore.self)
                .makeCopy(of: source, at: .file(file)) { _ in .cancel }
        }

        guard case .cancelled(let location)? = error else {
            Issue.record("not cancelled: \(error as Any)")
            return
        }
        #expect(location.fileURL?.lastPathComponent == "copy")
        #expect(try stores.names() == [])
    }

    @Test func `removes a copy that cannot be opened`() throws {
        let source = try stores.source()
        var request = stores.request(.file(stores.folder.file("copy")))
        request.options = ["noSuchOption": true]

        let error = #expect(throws: StoreCopyError.self) {
            // The copier creates the copy without the option, so only opening the copy fails.
            try StoreCopier(to: BinaryStore.self).openCopy(of: source, as: request) { _ in .proceed
            }
        }

        guard case .store(.invalidOption)? = error else {
            Issue.record("not refused for its option: \(error as Any)")
            return
        }
        #expect(try stores.names() == [])
    }
}
