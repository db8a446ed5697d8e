import Cairn
import CairnTestSupport
import Foundation
import Testing

@Suite struct `A context that is pinned to a state` {
    @Test(arguments: FileStack.types)
    func `reads it while another process saves, and conflicts with that save when it saves`(
        _ type: StoreType
    ) throws {
        let stack = try FileStack(type)
        let url = try stack.make("dawn", at: "store")
        let coordinator = stack.coordinator()
        try coordinator.addPersistentStore(ofType: type, at: url)

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.setQueryGeneration(from: .current)
            let worker = try WorkerProcess("pictures", "rename", type.rawValue, url.path, "noon")
            #expect(worker.end() == .code(0))

            let request = FetchRequest<ManagedObject>("Picture")
            let pinned = try context.fetch(request).map { try $0["title"] }
            let picture = try #require(try context.fetch(request).first { _ in true })
            try picture.setValue("evening", forKey: "title")
            var conflicts: [MergeConflict] = []
            do {
                try context.save()
            } catch GraphError.mergeConflicts(let found) {
                conflicts = found
            }
            context.rollback()
            try context.refreshAllObjects()
            let newest = try context.fetch(request).map { try $0["title"] }

            #expect(pinned == ["dawn"])
            #expect(conflicts.map { $0.persistedSnapshot?["title"] } == ["noon"])
            #expect(newest == ["noon", "noon"])
        }
    }
}
