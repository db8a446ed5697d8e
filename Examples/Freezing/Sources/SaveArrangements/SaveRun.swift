import Cairn
import Foundation
import Synchronization

/// Saves new objects in one arrangement, and measures how long the main actor waits.
@MainActor public struct SaveRun {
    /// The number of ticks to record after the save, while the main context merges it.
    private static let ticksAfterSave = 20

    private let engine: StoreType
    private let arrangement: SaveArrangement
    private let objectCount: Int

    /// Creates a run that saves `objectCount` new objects in a new store.
    public init(engine: StoreType, arrangement: SaveArrangement, objectCount: Int) {
        (self.engine, self.arrangement) = (engine, arrangement)
        self.objectCount = objectCount
    }

    /// Saves the objects in a new store in the folder.
    ///
    /// The objects are created before the measurement begins, and counted after it. For a store in a file,
    /// they are counted with a second container that reopens the store.
    ///
    /// - Throws: The error of the container, or `RunError.readAfterSave`.
    public func measure(in folder: URL) async throws -> SaveMeasurement {
        let file = engine == .inMemory ? nil : folder.appending(path: "\(UUID().uuidString).store")
        let container = try await container(at: file)
        let ticker = MainActorTicker()
        let times: (save: Duration, read: Duration?)
        do {
            times = try await save(in: container, beside: ticker)
            try await ticker.wait(forTicks: Self.ticksAfterSave)
        } catch {
            _ = await ticker.end()
            throw error
        }
        let lateness = await ticker.end()
        // An in-memory store ends with its container, so it is not reopened.
        let reader = file == nil ? container : try await self.container(at: file)
        return SaveMeasurement(
            arrangement: arrangement, expectedCount: objectCount,
            storedCount: try await storedCount(in: reader), saveTime: times.save,
            lateness: lateness, readTime: times.read)
    }

    private func container(at file: URL?) async throws -> PersistentContainer {
        let note = EntityDescription(
            "Note", [.attribute("text", .string), .attribute("number", .integer64)])
        let container = PersistentContainer(
            name: "Notes", managedObjectModel: try ManagedObjectModel([note]))
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(type: engine, url: file)
        ]
        try await container.loadPersistentStores()
        return container
    }

    private func storedCount(in container: PersistentContainer) async throws -> Int {
        try await container.performBackgroundTask { [objectCount] context in
            let request = try FetchRequest<ManagedObject>(
                "Note", where: "number >= 0 AND number < %@", Int64(objectCount))
            return try context.count(for: request)
        }
    }

    // MARK: Saving

    private func save(
        in container: PersistentContainer, beside ticker: MainActorTicker
    ) async throws -> (save: Duration, read: Duration?) {
        switch arrangement {
        case .mainContext:
            try insertObjects(into: container.viewContext)
            return (try await measure(ticker) { try container.viewContext.save() }, nil)
        case .mainContextInBackground:
            try insertObjects(into: container.viewContext)
            let save = try await measure(ticker) {
                try await container.viewContext.saveInBackground()
            }
            return (save, nil)
        case .backgroundContext, .mergedBackgroundContext:
            container.viewContext.automaticallyMergesChangesFromParent =
                arrangement == .mergedBackgroundContext
            let context = container.newBackgroundContext()
            try await context.perform { try insertObjects(into: $0) }
            return (try await measure(ticker) { try await context.perform { try $0.save() } }, nil)
        case .privateParent, .privateParentOfReader:
            let parent = container.newBackgroundContext()
            let child = ManagedObjectContext(parent: parent)
            try await parent.perform { try insertObjects(into: $0) }
            return try await save(parent, of: child, beside: ticker)
        }
    }

    /// Saves a private parent. If the arrangement requires it, its child reads on the main actor meanwhile.
    private func save(
        _ parent: ContextHandle, of child: ManagedObjectContext, beside ticker: MainActorTicker
    ) async throws -> (save: Duration, read: Duration?) {
        let stage = Stage()
        let saving = Task {
            defer { stage.hasEnded = true }
            return try await measure(ticker) {
                try await parent.perform { context in
                    stage.hasBegun.store(true, ordering: .releasing)
                    try context.save()
                }
            }
        }
        guard arrangement == .privateParentOfReader else { return (try await saving.value, nil) }
        while !stage.hasBegun.load(ordering: .acquiring), !stage.hasEnded { await Task.yield() }
        let isLate = stage.hasEnded
        let start = ContinuousClock.now
        let found = try child.count(for: FetchRequest<ManagedObject>("Note"))
        let read = start.duration(to: .now)
        let save = try await saving.value
        if isLate || found != objectCount { throw RunError.readAfterSave(found: found) }
        return (save, read)
    }

    private nonisolated func insertObjects(into context: ManagedObjectContext) throws {
        for number in 0..<objectCount {
            let note = try context.insertNewObject(forEntityName: "Note")
            try note.setValue("note \(number)", forKey: "text")
            try note.setValue(Int64(number), forKey: "number")
        }
    }

    private func measure(
        _ ticker: MainActorTicker, _ save: @MainActor () async throws -> Void
    ) async throws -> Duration {
        try await ticker.begin()
        let start = ContinuousClock.now
        try await save()
        return start.duration(to: .now)
    }

    /// The progress of a parent's save.
    @MainActor private final class Stage {
        nonisolated let hasBegun = Atomic(false)
        var hasEnded = false
    }
}

/// The reason for which a run measured nothing.
public enum RunError: Error, CustomStringConvertible {
    /// The read to be measured began after the save, or found other objects than those saved.
    case readAfterSave(found: Int)

    /// A description of the problem, and advice.
    public var description: String {
        switch self {
        case .readAfterSave(let found):
            "The read did not begin during the save, or found \(found) objects. Save more objects."
        }
    }
}
