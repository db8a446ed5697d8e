import Cairn
import Foundation
import GraphSupport
import Testing

/// Values that SQLite stores in files, and other engines in rows.
@Suite struct `A large value` {
    enum Loss: CaseIterable { case contextReleased, contextReset }

    /// Takes an object out of its context's turn.
    private final class Left: @unchecked Sendable { var picture: ManagedObject? }

    /// Returns a picture whose row was read, and which has lost its context since.
    private func left(_ stack: FileStack, _ loss: Loss) throws -> ManagedObject {
        let url = try stack.make("dawn", at: "store")
        let coordinator = stack.coordinator()
        try coordinator.addPersistentStore(ofType: stack.type, at: url)
        let left = Left()
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            left.picture = try context.fetch(FetchRequest<ManagedObject>("Picture")).first
            _ = try left.picture?.value(forKey: "title")
            if loss == .contextReset { context.reset() }
        }
        return try #require(left.picture)
    }

    @Test(arguments: FileStack.types, Loss.allCases)
    func `of an object without a context is never read as nil`(
        _ type: StoreType, _ loss: Loss
    ) throws {
        let stack = try FileStack(type)
        let picture = try left(stack, loss)
        let reads: [(ManagedObject) throws -> Any?] = [
            { try $0.value(forKey: "pixels") }, { try $0.value(forKeyPath: "pixels") },
            { if case .binary(let data) = try $0["pixels"] { data } else { nil } },
        ]

        let results = reads.map { read in Result { try read(picture) as? Data } }

        for (index, result) in results.enumerated() {
            switch result {
            case .success(let data?): #expect(data == FileStack.pixels("dawn"), "read \(index)")
            case .failure(GraphError.objectGone(picture.objectID, .leftContext)): break
            default: Issue.record("read \(index): \(result)")
            }
        }
    }

    /// How an object comes back to the store that another coordinator deleted.
    enum Return: CaseIterable { case overwrite, newObject }

    @Test(arguments: FileStack.types, Return.allCases)
    func `outlives a deletion by another coordinator if its object is saved again`(
        _ type: StoreType, _ way: Return
    ) throws {
        let stack = try FileStack(type)
        let url = try stack.make("dawn", at: "store")
        let (deleter, saver) = (stack.coordinator(), stack.coordinator())
        for coordinator in [deleter, saver] {
            try coordinator.addPersistentStore(ofType: type, at: url)
        }

        try ContextHandle(coordinator: saver).performAndWait { context in
            context.mergePolicy = StandardMergePolicy.overwrite
            let picture = try #require(
                try context.fetch(FetchRequest<ManagedObject>("Picture")).first)
            _ = try picture.value(forKey: "title")
            try ContextHandle(coordinator: deleter).performAndWait { other in
                for picture in try other.fetch(FetchRequest<ManagedObject>("Picture")) {
                    try other.delete(picture)
                }
                try other.save()
            }
            switch way {
            case .overwrite: try picture.setValue("noon", forKey: "title")
            case .newObject:
                let copy = try context.insertNewObject(forEntityName: "Picture")
                try copy.setValue("noon", forKey: "title")
                try copy.setValue(try picture.value(forKey: "pixels"), forKey: "pixels")
            }
            try context.save()
        }
        for coordinator in [deleter, saver] {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }

        #expect(try stack.titles(url) == ["noon"])
    }
}
