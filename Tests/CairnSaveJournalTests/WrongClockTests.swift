import Cairn
import CairnStore
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

/// Saves over several stores that have recorded the names of more saves than they remember, all of them made
/// while the clock was ahead.
@Suite struct `A clock that was ahead` {
    @Test(arguments: [["SQLite", "LMDB"], ["XML", "Binary"]] as [[StoreType]])
    func `does not keep an interrupted save from being finished`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        for store in stack.stores { try store.saveInTheFuture(count: 1_200) }

        try stack.inContext { context in
            try context.setAll(2)
            try context.save()
            try context.setAll(3)
            stack.faults[1].fillDisk(at: .commit)
            defer { stack.faults[1].stopFailing() }
            #expect(try graphError { try context.save() }?.isPending == true)
        }
        try stack.close()
        let again = try SeveralStack(types, in: stack.folder)
        let items = try again.items()

        #expect(items == ["0=3", "1=3"])
    }

    /// A program that does not know journals makes the later saves.
    @Test func `leaves a forgotten save in doubt only until the doubt is overridden`() throws {
        let stack = try SeveralStack(["SQLite", "LMDB"])
        try stack.fill()
        try stack.inContext { context in
            try context.setAll(2)
            stack.faults[1].fillDisk(at: .commit)
            defer { stack.faults[1].stopFailing() }
            #expect(try graphError { try context.save() }?.isPending == true)
        }
        try stack.stores[1].saveInTheFuture(count: 1_200)
        try stack.close()

        let refusal = try graphError { _ = try SeveralStack(stack.types, in: stack.folder) }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: stack.coordinator.managedObjectModel)
        for index in [0, 1] {
            try coordinator.addPersistentStore(
                ofType: stack.types[index], at: try stack.url(index),
                options: [.overridesSaveInDoubt: true])
        }
        let items = try ContextHandle(coordinator: coordinator).performAndWait { try $0.items() }

        guard case .store(.saveInDoubt)? = refusal else {
            Issue.record("\(refusal as Any)")
            return
        }
        #expect(items == ["0=2", "1=2"])
    }

    @Test func `makes a save with an older name fail, and the error says which names are possible`()
        throws
    {
        let stack = try SeveralStack(["SQLite", "Binary"])
        try stack.fill()
        for store in stack.stores { try store.saveInTheFuture(count: 1_200) }
        let id = SaveID()

        let error = try stack.inContext { context in
            try context.setAll(2)
            return try graphError { try context.save(named: id) }
        }
        guard case .store(.saveNameTooSmall(_, let greatest))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        let next = try #require(SaveID(after: greatest))
        try stack.inContext { context in
            try context.setAll(2)
            try context.save(named: next)
        }

        #expect(next > greatest && greatest > id)
        #expect(try stack.stores.map { try $0.outcome(of: next) } == [.saved, .saved])
        #expect(try stack.items() == ["0=2", "1=2"])
    }
}

private let futureMilliseconds = UInt64((Date().timeIntervalSince1970 + 365 * 24 * 3600) * 1000)

extension PersistentStore {
    /// Makes saves, in one commit, whose names a clock gave that is a year ahead. All stores get names of the same
    /// times.
    fileprivate func saveInTheFuture(count: Int) throws {
        let milliseconds = futureMilliseconds
        let save = try beginSave()
        for number in 0..<count {
            var bytes = UUID().uuid
            let time = milliseconds + UInt64(number)
            withUnsafeMutableBytes(of: &bytes) { bytes in
                for index in 0..<6 {
                    bytes[index] = UInt8(truncatingIfNeeded: time >> UInt64(8 * (5 - index)))
                }
                bytes[6] = bytes[6] & 0x0f | 0x70
            }
            var request = SaveRequest()
            request.id = SaveID(UUID(uuid: bytes))
            _ = try save.prepareNext(request)
        }
        _ = try save.commit()
    }
}
