import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Synchronization
import Testing

/// A child that was forked without `exec` has a copy of each descriptor, and a copy keeps the locks of the
/// original. `dup` copies a descriptor in the same way.
@Suite struct `Copies of descriptors` {
    @Test func `that were made during a save over several stores do not block later ones`() throws {
        let stack = try SeveralStack(["SQLite", "Binary"])
        try stack.fill()
        let copies = Mutex<[Int32]>([])
        stack.faults[0].fail(.commit) { [folder = stack.folder.url] location in
            copies.withLock { $0 = (try? OpenDescriptors.copies(below: folder)) ?? [] }
            return .busy(location, waited: .zero)
        }
        defer { for copy in copies.withLock({ $0 }) { close(copy) } }
        let error = try stack.inContext { context in
            try context.setAll(2)
            return try graphError { try context.save() }
        }
        try stack.close()

        let again = try SeveralStack(["SQLite", "Binary"], in: stack.folder)
        let items = try again.items()

        #expect(error?.isPending == true, "\(error as Any)")
        #expect(copies.withLock { $0.count } > 2)
        #expect(items == ["0=2", "1=2"])
    }

    @Test(arguments: everyFileEngine)
    func `that were made while a store was open do not keep it in use`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("items.store")
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities))
        let store = try coordinator.addPersistentStore(ofType: type, at: file)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.insertItem("1", in: store)
            try context.save()
        }
        let copies = try OpenDescriptors.copies(below: folder.url)
        defer { for copy in copies { close(copy) } }
        try coordinator.remove(store)

        let error = try graphError {
            try coordinator.destroyPersistentStore(at: file, ofType: type)
        }

        #expect(!copies.isEmpty)
        #expect(error == nil, "\(error as Any)")
    }
}

extension `Copies of descriptors` {
    @Test(arguments: everyFileEngine)
    func `that were made during an exclusive use do not keep the store closed`(
        _ type: StoreType
    ) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("items.store")
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities))
        try coordinator.remove(coordinator.addPersistentStore(ofType: type, at: file))
        let engine = try coordinator.registry.fileEngine(ofType: type, for: .file(file))
        let copies = try engine.withExclusiveUse(of: .file(file)) { () throws(StoreError) in
            (try? OpenDescriptors.copies(below: folder.url)) ?? []
        }
        defer { for copy in copies { close(copy) } }

        let error = try graphError {
            let store = try coordinator.addPersistentStore(ofType: type, at: file)
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                try context.insertItem("1", in: store)
                try context.save()
            }
        }

        #expect(!copies.isEmpty)
        #expect(error == nil, "\(error as Any)")
    }
}

/// The descriptors that this process has open.
private enum OpenDescriptors {
    /// Copies all descriptors of a folder and of the files in it.
    static func copies(below folder: URL) throws -> [Int32] {
        let path = folder.resolvingSymlinksInPath().path
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\($0)")
            guard let number = Int32($0), target?.hasPrefix(path) == true else { return nil }
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            return copy >= 0 ? copy : nil
        }
    }
}
