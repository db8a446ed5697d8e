import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Requests for the history in Core Data's form, in a context.
@Suite struct `A request for history` {
    private func stack() throws -> HistoryStack {
        let stack = try HistoryStack(["SQLite", "InMemory"])
        try stack.save(author: "ann") { context in
            _ = try context.insert("Person", ["name": "a"])
            _ = try context.insert("Tag", ["name": "t"])
        }
        try stack.save(author: "ben") { context in
            try context.only("Person").setValue("b", forKey: "name")
        }
        try stack.save(author: "ann", named: "reader") { context in
            try context.delete(context.only("Tag"))
        }
        return stack
    }

    private func execute(
        _ request: PersistentHistoryChangeRequest, _ stack: HistoryStack
    ) throws -> PersistentHistoryResult {
        try ContextHandle(coordinator: stack.coordinator).performAndWait {
            try $0.execute(request)
        }
    }

    @Test func `returns what its result type asks for`() throws {
        let stack = try stack()
        var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)

        let whole = try execute(request, stack)
        request.resultType = .transactionsOnly
        let plain = try execute(request, stack)
        request.resultType = .count
        let count = try execute(request, stack)
        request.resultType = .objectIDs
        let ids = try execute(request, stack)

        #expect(whole.transactions.map(\.author) == ["ann", "ben", "ann"])
        #expect(whole.transactions.map(\.changes.count) == [2, 1, 1])
        #expect((whole.result as? [PersistentHistoryTransaction])?.count == 3)
        #expect(plain.transactions.map(\.changes.count) == [0, 0, 0])
        #expect(count.result as? Int == 3)
        #expect(ids.objectIDs.count == 2 && Set(ids.objectIDs).count == 2)
    }

    @Test func `begins after a transaction or a time, and chooses`() throws {
        let stack = try stack()
        let all = try execute(.fetchHistory(after: nil), stack).transactions

        let second = try execute(.fetchHistory(after: all[0]), stack)
        let third = try execute(.fetchHistory(after: all[1].timestamp), stack)
        var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        request.fetchRequest = PersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.predicate = try FetchPredicate(format: "author == 'ann'")
        request.fetchRequest?.fetchLimit = 1
        let chosen = try execute(request, stack)

        #expect(second.transactions.map(\.position) == all[1...].map(\.position))
        #expect(third.transactions.map(\.position) == all[2...].map(\.position))
        #expect(chosen.transactions.map(\.position) == [all[0].position])
    }

    @Test(arguments: [
        ("author != 'ann'", [2]), ("author == nil", []), ("author IN {'ann', 'ben'}", [1, 2, 3]),
        ("contextName == 'reader'", [3]), ("contextName == nil AND processID != ''", [1, 2]),
        ("transactionNumber >= 2 AND storeID != nil AND bundleID LIKE '*'", [2, 3]),
        ("timestamp < now()", [1, 2, 3]), ("timestamp > CAST(0, 'NSDate')", [1, 2, 3]),
        ("ANY changes.changedEntity == 'Tag'", [1, 3]), ("changes.@count == 2", [1]),
        ("SUBQUERY(changes, $c, $c.changeType == 0 AND $c.changedEntity == 'Tag').@count > 0", [1]),
    ])
    func `chooses transactions by a predicate`(_ format: String, _ numbers: [Int]) throws {
        let stack = try stack()
        var fetch = PersistentHistoryTransaction.fetchRequest
        fetch.predicate = try FetchPredicate(format: format)

        let found = try execute(.fetchHistory(withFetch: fetch), stack).transactions

        #expect(found.map { Int($0.transactionNumber) } == numbers)
        #expect(found.allSatisfy { $0.changes.count == ($0.transactionNumber == 1 ? 2 : 1) })
    }

    @Test(arguments: [
        ("TRUEPREDICATE", ["insert Person", "insert Tag", "update Person name", "delete Tag"]),
        ("changeType == 0", ["insert Person", "insert Tag"]),
        ("changedEntity == 'Tag'", ["insert Tag", "delete Tag"]),
        ("changedEntity == 'Tag' AND changeType != 0", ["delete Tag"]),
        ("transaction.author == 'ben'", ["update Person name"]),
        ("changedObjectID == %@", ["insert Person", "update Person name"]),
        ("NOT (changedObjectID IN {%@})", ["insert Tag", "delete Tag"]),
    ])
    func `chooses changes by a predicate`(_ format: String, _ words: [String]) throws {
        let stack = try stack()
        let all = try execute(.fetchHistory(after: nil), stack)
        let person = try #require(
            all.changes.first { $0.changeType == .update }?.changedObjectID)
        var fetch = PersistentHistoryChange.fetchRequest
        fetch.predicate = try FetchPredicate(
            format: format, arguments: format.contains("%@") ? [person] : [])
        var request = PersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)

        let found = try execute(request, stack)
        request.resultType = .count
        let count = try execute(request, stack).result as? Int
        request.fetchRequest?.fetchLimit = 1
        let first = try execute(request, stack)

        #expect(Set(stack.words(found.transactions).joined()) == Set(words))
        #expect(found.transactions.allSatisfy { !$0.changes.isEmpty })
        #expect(count == words.count)
        #expect(first.changes == [found.changes[0]])
    }

    @Test func `is refused with the name of a key that does not exist`() throws {
        let stack = try stack()
        var requests: [PersistentHistoryChangeRequest] = []
        for format in ["autor == 'ann'", "changes.kind == 1", "changeType == 1"] {
            var fetch = PersistentHistoryTransaction.fetchRequest
            fetch.predicate = try FetchPredicate(format: format)
            requests.append(.fetchHistory(withFetch: fetch))
        }
        var fetch = PersistentHistoryChange.fetchRequest
        fetch.predicate = try FetchPredicate(format: "changedEntity > 3")
        requests.append(.fetchHistory(withFetch: fetch))

        for request in requests {
            #expect {
                try execute(request, stack)
            } throws: { error in
                guard case GraphError.predicate(let problem)? = error as? GraphError else {
                    return false
                }
                return "\(problem)".contains("autor") ? "\(problem)".contains("author") : true
            }
        }
    }

    @Test func `removes what is before a token`() throws {
        let stack = try stack()
        let all = try execute(.fetchHistory(after: nil), stack).transactions

        let result = try execute(.deleteHistory(before: all[2].token), stack)
        let left = try execute(.fetchHistory(after: nil), stack).transactions

        #expect(result.result as? Bool == true)
        #expect(left.map(\.position) == [all[2].position])
    }

    @Test func `of a class has only its changes`() async throws {
        let folder = try TemporaryFolder()
        let container = try PersistentContainer(
            name: "Library", for: HistoryAuthor.self, HistoryBook.self)
        let description = PersistentStoreDescription(
            type: .sqlite, url: folder.file("library.sqlite"))
        description.options[.tracksHistory] = true
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        let handle = container.newBackgroundContext()
        try handle.performAndWait { context in
            try HistoryAuthor(context: context).name = "a"
            try context.save()
            try HistoryBook(context: context).title = "b"
            try context.save()
        }

        let found = try handle.performAndWait { try $0.history(of: HistoryBook.self) }

        #expect(found.count == 1)
        #expect(found.flatMap(\.changes).map(\.changeType) == [.insert])
    }

    @Test func `merged into a context updates its objects`() throws {
        let stack = try stack()
        let token = try stack.coordinator.currentPersistentHistoryToken()
        try ContextHandle(coordinator: stack.coordinator).performAndWait { context in
            context.automaticallyMergesChangesFromParent = false
            let person = try context.only("Person")
            try stack.save { try $0.only("Person").setValue("c", forKey: "name") }
            let before = try person.value(forKey: "name") as? String

            try context.mergeChanges(fromHistory: stack.coordinator.history(after: token))

            #expect(before == "b")
            #expect(try person.value(forKey: "name") as? String == "c")
        }
    }
}

private final class HistoryAuthor: ManagedObject {
    @Managed var name: String
}

private final class HistoryBook: ManagedObject {
    @Managed var title: String
}
