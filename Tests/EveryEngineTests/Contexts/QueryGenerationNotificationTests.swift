import Cairn
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Notifications contain the state of the stores from which a pinned context reads afterwards.
@Suite struct `Notifications of a pinned context` {
    private static let names = [
        ManagedObjectContext.didSaveObjectsNotification,
        ManagedObjectContext.didSaveObjectIDsNotification,
        ManagedObjectContext.didMergeChangesObjectIDsNotification,
    ]

    /// Saves an item and merges the save of another context. Returns the token of each notification, and the
    /// context's own token after each of the two steps.
    private func tokens(
        on type: StoreType, _ pin: @Sendable (ManagedObjectContext) throws -> Void
    ) throws -> (told: [QueryGenerationToken?], read: [QueryGenerationToken?]) {
        let stack = try ItemStack(type)
        return try stack.inContext { context in
            try pin(context)
            let log = TokenLog(Self.names, from: context)
            _ = try context.insert("Item", ["name": "x", "code": "x"])
            try context.save()
            let saved = context.queryGenerationToken
            let theirs = try stack.inContext { other in
                let item = try other.insert("Item", ["name": "y", "code": "y"])
                try other.save()
                var changes = ObjectIDChanges()
                changes.inserted = [item.objectID]
                return changes
            }
            try context.mergeChanges(theirs)
            return (log.tokens, [saved, saved, context.queryGenerationToken])
        }
    }

    @Test(arguments: everyEngine)
    func `carry its query generation`(_ type: StoreType) throws {
        let (told, read) = try tokens(on: type) { try $0.setQueryGeneration(from: .current) }

        #expect(told == read)
        #expect(told.count == 3 && !told.contains(nil))
        // Both the save and the merge moved the context to a newer state.
        #expect(told.first != told.last)
    }

    @Test(arguments: everyEngine)
    func `carry the generation of another context that it is pinned to`(_ type: StoreType) throws {
        let (told, read) = try tokens(on: type) { context in
            try context.setQueryGeneration(from: .current)
            try context.setQueryGeneration(from: context.queryGenerationToken)
        }

        #expect(told == read)
        #expect(told.count == 3 && !told.contains(nil))
        #expect(told.first == told.last)
    }

    @Test(arguments: everyEngine)
    func `carry no generation if it is not pinned`(_ type: StoreType) throws {
        let (told, _) = try tokens(on: type) { _ in }

        #expect(told == [nil, nil, nil])
    }
}

/// The tokens of a context's notifications, in the order in which they were posted.
private final class TokenLog {
    private let found: Found
    private let observers: [any NSObjectProtocol]

    private final class Found: Sendable {
        let tokens = Mutex<[QueryGenerationToken?]>([])
    }

    init(_ names: [Notification.Name], from context: ManagedObjectContext) {
        let found = Found()
        self.found = found
        let key = ManagedObjectContext.NotificationKey.queryGeneration.rawValue
        observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                let token = $0.userInfo?[key] as? QueryGenerationToken
                found.tokens.withLock { $0.append(token) }
            }
        }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    var tokens: [QueryGenerationToken?] { found.tokens.withLock { $0 } }
}
