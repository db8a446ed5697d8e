import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Random events under several kinds of results controllers. After each event, the controller must show the
/// results of a fetch, and replaying its changes on the former state must produce the new state.
///
/// `CAIRN_SEED` sets the seed of the first sequence.
@Suite struct `Random changes under a results controller` {
    private static let seeds: Range<UInt64> = {
        let first: UInt64 = TestSetting.number("CAIRN_SEED") ?? 1
        return first..<first + UInt64(3 * TestSetting.scale)
    }()

    @Test(arguments: everyEngine, seeds)
    func `leave it with the result of a fetch`(_ type: StoreType, _ seed: UInt64) throws {
        print("random results: \(type), seed \(seed)")
        let stack = try GraphStack(type)

        let others = ContextHandle(coordinator: stack.coordinator)
        let changeCount = try stack.inContext { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            var random = SeededRandom(seed: seed)
            var followers: [Follower] = []
            for request in Follower.requests {
                followers.append(try Follower(request, context))
            }
            for _ in 0..<120 {
                if random.next() % 5 == 0 {
                    let theirs = try others.performAndWait { [random] in
                        try $0.saveChange(random)
                    }
                    _ = random.next()
                    try context.mergeChanges(theirs)
                } else {
                    try context.change(using: &random)
                    context.processPendingChanges()
                }
                for follower in followers { try follower.check() }
            }
            return followers.map(\.changeCount)
        }

        // Each kind of controller reported changes.
        #expect(changeCount.allSatisfy { $0 > 5 })
    }
}

/// A results controller, and the accumulated result of the calls to its delegate.
private final class Follower: FetchedResultsControllerDelegate {
    struct Request {
        var predicate: String?
        var sorts: [FetchSortDescriptor]
        var section: String?
        var limit = 0
        var offset = 0
    }

    static let requests = [
        Request(sorts: [FetchSortDescriptor("title")]),
        Request(predicate: "pages > 20", sorts: [FetchSortDescriptor("pages", ascending: false)]),
        Request(
            sorts: [FetchSortDescriptor("pages"), FetchSortDescriptor("title")], section: "pages"),
        Request(
            sorts: [FetchSortDescriptor("sold", ascending: false), FetchSortDescriptor("title")],
            section: "sold"),
        Request(sorts: [FetchSortDescriptor("title")], limit: 5, offset: 2),
        // The sections do not have the order of the objects.
        Request(sorts: [FetchSortDescriptor("title")], section: "pages"),
    ]

    private let controller: FetchedResultsController<ManagedObject>
    private var shown: FetchedResultsSnapshot
    private var replayed: FetchedResultsSnapshot
    private(set) var changeCount = 0

    init(_ request: Request, _ context: ManagedObjectContext) throws {
        var fetch = FetchRequest<ManagedObject>("Book")
        if let text = request.predicate { fetch.predicate = try FetchPredicate(format: text) }
        fetch.sortDescriptors = request.sorts
        fetch.fetchLimit = request.limit
        fetch.fetchOffset = request.offset
        controller = FetchedResultsController(
            fetchRequest: fetch, managedObjectContext: context, sectionNameKeyPath: request.section)
        try controller.performFetch()
        shown = controller.snapshot
        replayed = shown
        controller.delegate = self
    }

    func check() throws {
        try require(shown == controller.snapshot, "the last change told shows what is shown")
        try require(replayed == shown, "changes replayed give what is shown")
        let fetched: FetchResults<ManagedObject> =
            try controller.managedObjectContext.fetch(controller.fetchRequest)
        try require(
            controller.snapshot.objectIDs.sorted(by: { $0.key < $1.key })
                == fetched.objectIDs.sorted(by: { $0.key < $1.key }),
            "the controller has what a fetch finds")
        guard controller.sectionNameKeyPath != "pages" || controller.fetchRequest.sorts("pages")
        else { return }
        try require(controller.snapshot.objectIDs == fetched.objectIDs, "and in its order")
        for object in fetched {
            let indexPath = controller.indexPath(for: object)
            try require(
                indexPath.flatMap(controller.object(at:)) === object,
                "an object is at its index path")
        }
    }

    private func require(_ condition: Bool, _ what: String) throws {
        struct Broken: Error {
            let promise: String
        }
        if !condition { throw Broken(promise: what) }
    }

    func controller(
        _ controller: FetchedResultsController<ManagedObject>,
        didChangeContentWith change: FetchedResultsChange
    ) {
        changeCount += 1
        replayed = change.applied(to: shown)
        shown = change.snapshot
    }
}

extension FetchRequest {
    fileprivate func sorts(_ key: String) -> Bool { sortDescriptors.first?.keyPath == key }
}

extension ManagedObjectContext {
    /// Starts from the stored state, saves random changes, and returns them.
    fileprivate func saveChange(_ random: SeededRandom) throws -> ObjectIDChanges {
        reset()
        var random = random
        try edit(using: &random)
        processPendingChanges()
        let (inserted, updated) = (insertedObjects, updatedObjects)
        var changes = ObjectIDChanges()
        changes.deleted = Set(deletedObjects.map(\.objectID))
        try save()
        changes.inserted = Set(inserted.map(\.objectID))
        changes.updated = Set(updated.map(\.objectID))
        return changes
    }

    /// Makes a few random changes, or ends them by saving or discarding.
    fileprivate func change(using random: inout SeededRandom) throws {
        switch random.next() % 12 {
        case 0: rollback()
        case 1, 2: try save()
        case 3: try refreshAllObjects()
        default: try edit(using: &random)
        }
    }

    private func edit(using random: inout SeededRandom) throws {
        func number(_ end: Int) -> Int { Int(random.next() % UInt64(end)) }
        let books = try fetch(FetchRequest<ManagedObject>("Book")).map { $0 }
        for _ in 0...number(4) {
            if books.isEmpty || number(3) == 0 {
                let entity = number(3) == 0 ? "Novel" : "Book"
                let book = try insertNewObject(forEntityName: entity)
                try book.setValue("\(number(100))", forKey: "title")
                try book.setValue(number(50), forKey: "pages")
                continue
            }
            let book = books[number(books.count)]
            guard !book.isDeleted else { continue }
            switch number(5) {
            case 0: try delete(book)
            case 1: try book.setValue("\(number(100))", forKey: "title")
            case 2: try book.setValue(number(50), forKey: "pages")
            case 3: try book.setValue(number(4), forKey: "sold")
            default: try book.setValue(number(3) == 0 ? nil : number(4), forKey: "sold")
            }
        }
    }
}
