import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

/// What the coordinator reads from the histories of its stores.
@Suite struct `The history of stores` {
    @Test(arguments: everyEngine)
    func `says who changed what, and in which order`(_ type: StoreType) throws {
        let stack = try HistoryStack([type])
        let start = Date().addingTimeInterval(-1)
        try stack.save(author: "ann", named: "main") { context in
            let person = try context.insert("Person", ["name": "a", "age": 1])
            let team = try context.insert("Team", ["name": "t"])
            try person.setValue(team, forKey: "team")
        }
        try stack.save { context in
            try context.only("Person").setValue("b", forKey: "name")
        }
        try stack.save(author: "ben") { context in try context.delete(context.only("Person")) }

        let found = try stack.coordinator.history()

        #expect(found.map(\.author) == ["ann", nil, "ben"])
        #expect(found.map(\.contextName) == ["main", nil, nil])
        #expect(found.allSatisfy { $0.timestamp >= start && $0.timestamp <= Date() })
        #expect(Set(stack.words(found)[0]) == ["insert Person", "insert Team"])
        #expect(stack.words(found)[1] == ["update Person name"])
        #expect(stack.words(found)[2].first == "delete Person")
        #expect(found[2].changes[0].tombstone == ["name": .string("b")])
    }

    @Test(arguments: everyEngine)
    func `is continued after a token, also one that was stored as JSON`(_ type: StoreType) throws {
        let stack = try HistoryStack([type])
        #expect(try stack.coordinator.currentPersistentHistoryToken() == nil)
        try stack.insertPerson("a")
        let token = try #require(try stack.coordinator.currentPersistentHistoryToken())
        let stored = try JSONEncoder().encode(token)
        try stack.insertPerson("b")
        try stack.insertPerson("c")
        let decoded = try JSONDecoder().decode(PersistentHistoryToken.self, from: stored)

        let first = try stack.coordinator.history(after: decoded, limit: 1)
        let second = try stack.coordinator.history(after: first.last?.token)
        let third = try stack.coordinator.history(after: second.last?.token)

        #expect(decoded == token)
        #expect(first.count == 1 && second.count == 1 && third.isEmpty)
        #expect(first[0].token != second[0].token)
        #expect(second[0].token == (try stack.coordinator.currentPersistentHistoryToken()))
    }

    @Test(arguments: everyFileEngine)
    func `is followed by the values of now, also of objects that were read before`(
        _ type: StoreType
    ) throws {
        let stack = try HistoryStack([type])
        try stack.insertPerson("a")
        let other = try HistoryStack([type], in: stack.folder)
        let token = try other.coordinator.currentPersistentHistoryToken()
        let reader = ContextHandle(coordinator: other.coordinator)
        let old = try reader.performAndWait { context in
            try context.only("Person").value(forKey: "name") as? String
        }
        try stack.save { try $0.only("Person").setValue("b", forKey: "name") }

        let found = try other.coordinator.history(after: token)
        let id = try #require(found.first?.changes.first?.changedObjectID)
        let new = try reader.performAndWait { context in
            context.reset()
            return try context.existingObject(with: id).value(forKey: "name") as? String
        }

        #expect(old == "a" && new == "b")
    }

    @Test func `of several stores has tokens that cover all of them`() throws {
        let stack = try HistoryStack(["SQLite", "LMDB", "XML"])
        let stores = stack.coordinator.persistentStores
        try stack.save { context in
            for store in stores {
                try context.assign(try context.insert("Tag", ["name": "all"]), to: store)
            }
        }
        for store in stores.reversed() {
            try stack.save { context in
                try context.assign(try context.insert("Tag", ["name": "one"]), to: store)
            }
        }

        let all = try stack.coordinator.history()

        #expect(all.count == 6)
        #expect(all.suffix(3).map(\.storeID).count == 3)
        for (index, transaction) in all.enumerated() {
            let rest = try stack.coordinator.history(after: transaction.token)
            #expect(rest.map(\.position) == all[(index + 1)...].map(\.position))
        }
        let one = try stack.coordinator.history(fromStores: [stores[1]])
        #expect(one.count == 2 && Set(one.map(\.storeID)).count == 1)
    }

    @Test(arguments: everyFileEngine)
    func `has no token of a store whose file was restored`(_ type: StoreType) throws {
        let first = try HistoryStack([type])
        try first.insertPerson("a")
        let early = try first.coordinator.currentPersistentHistoryToken()
        try first.close()
        let copy = first.folder.file("copy")
        try FileManager.default.copyItem(at: first.url(), to: copy)
        let second = try HistoryStack([type], in: first.folder)
        try second.insertPerson("b")
        let late = try second.coordinator.currentPersistentHistoryToken()
        try second.close()
        try FileManager.default.removeItem(at: first.url())
        try FileManager.default.copyItem(at: copy, to: first.url())

        let restored = try HistoryStack([type], in: first.folder)
        let gone = gap { _ = try restored.coordinator.history(after: late) }
        try restored.insertPerson("c")
        let other = gap { _ = try restored.coordinator.history(after: late) }
        let found = try restored.coordinator.history(after: early)

        #expect(gone == .anotherBranch && other == .anotherBranch)
        #expect(restored.words(found) == [["insert Person"]])
    }

    @Test(arguments: everyWholeFileEngine)
    func `is lost if the file is copied without its log, which an old token notices`(
        _ type: StoreType
    ) throws {
        let stack = try HistoryStack([type])
        try stack.insertPerson("a")
        let early = try stack.coordinator.currentPersistentHistoryToken()
        try stack.insertPerson("b")
        let late = try stack.coordinator.currentPersistentHistoryToken()
        try stack.close()
        let log = stack.folder.file("store0.store-history")
        try FileManager.default.removeItem(at: log)

        let copy = try HistoryStack([type], in: stack.folder)
        try copy.insertPerson("c")

        #expect(gap { _ = try copy.coordinator.history(after: early) } == .purged)
        #expect(copy.words(try copy.coordinator.history(after: late)) == [["insert Person"]])
    }

    @Test(arguments: everyEngine)
    func `that was purged throws an error for older tokens`(_ type: StoreType) throws {
        let stack = try HistoryStack([type])
        var tokens: [PersistentHistoryToken?] = []
        for name in ["a", "b", "c"] {
            try stack.insertPerson(name)
            tokens.append(try stack.coordinator.currentPersistentHistoryToken())
        }
        let middle = try #require(tokens[1])

        try stack.coordinator.deleteHistory(before: middle)

        #expect(gap { _ = try stack.coordinator.history(after: tokens[0]) } == .purged)
        #expect(try stack.coordinator.history(after: middle).count == 1)
        try stack.coordinator.deleteHistory(before: Date.distantFuture)
        #expect(gap { _ = try stack.coordinator.history(after: middle) } == .purged)
        #expect(try stack.coordinator.history(after: tokens[2]).isEmpty)
    }

    @Test(arguments: everyEngine)
    func `is kept for a registered follower until it has read it`(_ type: StoreType) throws {
        let stack = try HistoryStack([type])
        var tokens: [PersistentHistoryToken?] = []
        for name in ["a", "b", "c"] {
            try stack.insertPerson(name)
            tokens.append(try stack.coordinator.currentPersistentHistoryToken())
        }
        let store = stack.coordinator.persistentStores[0]
        let metadata = try stack.coordinator.metadata(for: store)

        try stack.coordinator.setHistoryToken(tokens[0], ofFollower: "index")
        try stack.coordinator.deleteHistory(before: Date.distantFuture)
        let unread = try stack.coordinator.history(after: tokens[0])
        try stack.coordinator.setHistoryToken(tokens[2], ofFollower: "index")
        let known = try stack.coordinator.historyToken(ofFollower: "index")
        try stack.coordinator.deleteHistory(before: try #require(tokens[2]))

        #expect(unread.count == 2)
        #expect(known == tokens[2])
        #expect(gap { _ = try stack.coordinator.history(after: tokens[1]) } == .purged)
        #expect(try stack.coordinator.metadata(for: store) == metadata)
        try stack.coordinator.setHistoryToken(nil, ofFollower: "index")
        #expect(try stack.coordinator.historyToken(ofFollower: "index") == nil)
    }

    @Test
    func `is not purged beyond a registered follower whose position cannot be read at the moment`()
        throws
    {
        let faults = StoreFaults()
        let stack = try HistoryStack(
            ["InMemory"], options: faults.options.merging([.tracksHistory: true]) { _, new in new },
            registry: .builtIn.injectingFaults())
        var tokens: [PersistentHistoryToken?] = []
        for name in ["a", "b", "c"] {
            try stack.insertPerson(name)
            tokens.append(try stack.coordinator.currentPersistentHistoryToken())
        }
        try stack.coordinator.setHistoryToken(tokens[0], ofFollower: "index")
        let last = try #require(tokens[2])

        faults.fail(.snapshot) { .busy($0, waited: .zero) }
        #expect(throws: GraphError.self) { try stack.coordinator.deleteHistory(before: last) }
        let unread = try stack.coordinator.history(after: tokens[0])
        try stack.coordinator.deleteHistory(before: last)

        #expect(unread.count == 2)
        #expect(try stack.coordinator.history(after: tokens[0]).count == 2)
    }

    @Test(arguments: everyFileEngine)
    func `has as many transactions as its options allow when the store is added`(
        _ type: StoreType
    ) throws {
        let stack = try HistoryStack([type])
        for name in ["a", "b", "c", "d", "e"] { try stack.insertPerson(name) }
        let token = try stack.coordinator.currentPersistentHistoryToken()
        try stack.close()

        let young = try HistoryStack([type], in: stack.folder, options: [.historyAge: 3600])
        let all = try young.coordinator.history()
        try young.close()
        let short = try HistoryStack([type], in: stack.folder, options: [.historyCount: 2])
        let few = try short.coordinator.history()

        #expect(all.count == 5)
        #expect(few.map(\.position) == all.suffix(2).map(\.position))
        #expect(few.last?.token == token)
    }

    @Test(arguments: [StoreOption.historyAge, .historyCount], [0, "many"] as [MetadataValue])
    func `has no limits of other values`(_ option: StoreOption, _ value: MetadataValue) throws {
        #expect(throws: GraphError.self) {
            try HistoryStack(["InMemory"], options: [option: value])
        }
    }

    @Test(arguments: everyEngine)
    func `is reported as missing if the store keeps none`(_ type: StoreType) throws {
        let stack = try HistoryStack([type], options: [:])
        try stack.insertPerson("a")

        #expect(gap { _ = try stack.coordinator.history() } == .notTracked)
        #expect(
            gap { _ = try stack.coordinator.currentPersistentHistoryToken() } == .notTracked)
    }

    @Test(arguments: everyFileEngine)
    func `begins when an existing store is opened with the option`(_ type: StoreType) throws {
        let old = try HistoryStack([type], options: [:])
        try old.insertPerson("a")
        try old.close()
        let stack = try HistoryStack([type], in: old.folder)
        try stack.save { try $0.only("Person").setValue("b", forKey: "name") }
        try stack.close()
        let later = try HistoryStack([type], in: old.folder, options: [:])
        try later.insertPerson("c")

        let found = try later.coordinator.history()

        #expect(later.words(found) == [["update Person name"], ["insert Person"]])
    }

    @Test(arguments: everyFileEngine)
    func `moves with its store`(_ type: StoreType) throws {
        let stack = try HistoryStack([type])
        try stack.insertPerson("a")
        let token = try stack.coordinator.currentPersistentHistoryToken()
        try stack.insertPerson("b")
        try stack.close()
        try stack.coordinator.movePersistentStore(
            at: stack.url(), to: stack.url(0, "moved"), ofType: type)
        let moved = try HistoryStack([type], in: stack.folder, named: "moved", options: [:])

        let found = try moved.coordinator.history(after: token)

        #expect(moved.words(found) == [["insert Person"]])
    }

    @Test(arguments: everyFileEngine, everyFileEngine)
    func `is copied to every engine if that is asked for`(
        _ type: StoreType, _ other: StoreType
    ) throws {
        let stack = try HistoryStack([type])
        try stack.save(author: "ann", named: "main") { context in
            _ = try context.insert("Person", ["name": "a"])
            _ = try context.insert("Tag", ["name": "t"])
        }
        try stack.save(author: "ben") { context in
            let person = try context.only("Person")
            try person.setValue("b", forKey: "name")
            try person.mutableSetValue(forKey: "tags").insert(try context.only("Tag"))
        }
        try stack.insertPerson("c")
        try stack.save { try $0.delete($0.only("Person", where: "name == 'b'")) }
        try stack.coordinator.deleteHistory(
            before: try #require(try stack.coordinator.history(limit: 1).last).token)
        var copier = StoreCopier(to: try StoreRegistry.builtIn.engine(ofType: other))
        copier.copiesHistory = true

        try copier.copy(stack.coordinator.persistentStores[0], to: stack.url(0, "copy"))
        let copy = try HistoryStack([other], in: stack.folder, named: "copy", options: [:])
        try copy.insertPerson("d")

        let (found, wanted) = (
            try copy.coordinator.history(), try stack.coordinator.history()
        )
        #expect(wanted.count == 4 && found.count == 5)
        #expect(copy.words(found) == stack.words(wanted) + [["insert Person"]])
        for (found, wanted) in zip(found, wanted) {
            #expect(found.transactionNumber == wanted.transactionNumber)
            #expect(found.timestamp == wanted.timestamp)
            #expect(found.author == wanted.author && found.contextName == wanted.contextName)
            #expect(found.processID == wanted.processID && found.bundleID == wanted.bundleID)
            #expect(
                found.changes.map(\.changedObjectID.key)
                    == wanted.changes.map(\.changedObjectID.key))
            #expect(found.changes.map(\.tombstone) == wanted.changes.map(\.tombstone))
        }
        let rest = try copy.coordinator.history(after: found[1].token)
        #expect(rest.map(\.position) == found[2...].map(\.position))
    }

    @Test func `is not copied from a store that keeps none, and not with another model`() throws {
        let stack = try HistoryStack(["LMDB", "SQLite"], options: [:])
        let stores = stack.coordinator.persistentStores
        var copier = StoreCopier(to: try StoreRegistry.builtIn.engine(ofType: .binary))
        copier.copiesHistory = true
        let target = stack.folder.file("copy")

        #expect(gap { try copier.copy(stores[0], to: target) } == .notTracked)
        #expect(gap { try copier.copy(stores[1], to: target) } == .notTracked)
        copier.model = stack.coordinator.managedObjectModel
        #expect(throws: GraphError.self) { try copier.copy(stores[0], to: target) }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test(arguments: everyFileEngine)
    func `replaces that of a store which is replaced by a copy`(_ type: StoreType) throws {
        let stack = try HistoryStack([type])
        try stack.insertPerson("a")
        try stack.insertPerson("b")
        let words = stack.words(try stack.coordinator.history())
        try stack.close()
        let old = try HistoryStack([type], in: stack.folder, named: "old")
        try old.save { _ = try $0.insert("Team", ["name": "old"]) }
        try old.close()

        try stack.coordinator.replacePersistentStore(
            at: stack.url(0, "old"), withPersistentStoreFrom: stack.url(), type: type)
        let replaced = try HistoryStack([type], in: stack.folder, named: "old", options: [:])

        #expect(replaced.words(try replaced.coordinator.history()) == words)
    }

    /// Returns the reason for which the body cannot read the history, or `nil` if it can.
    private func gap(_ body: () throws -> Void) -> HistoryGap? {
        do {
            try body()
            return nil
        } catch GraphError.store(.historyUnavailable(_, let gap)) {
            return gap
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
