import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnEngineKit

/// Each way in which a watcher learns of a save, with the other ways disabled.
@Suite(.timeLimit(.minutes(5))) struct `A store watcher` {
    /// A pace with no checks except after events.
    private static let eventsOnly: WatchPace = {
        var pace = WatchPace()
        pace.intervalWithEvents = .seconds(3600)
        pace.interval = .seconds(3600)
        return pace
    }()

    /// A pace that uses no events.
    private static let looksOnly: WatchPace = {
        var pace = WatchPace()
        pace.usesEvents = false
        pace.pausesAfterEvent = []
        pace.interval = .milliseconds(5)
        return pace
    }()

    /// A watched store in a file, and the reports about it.
    private final class Watching: Sendable {
        let stack: FileStack
        let file: URL
        let store: any PersistentStore
        let watch: StoreWatch
        let lookCount = Atomic(0)
        private let known: Mutex<StoreGeneration>
        private let reports = Mutex<[StoreGeneration]>([])
        private let arrivals = DispatchSemaphore(value: 0)

        init(_ type: StoreType, _ pace: WatchPace) throws {
            let stack = try FileStack(type)
            try FileManager.default.createDirectory(
                at: stack.url("stores"), withIntermediateDirectories: false)
            self.stack = stack
            file = stack.url("stores/store")
            store = try FileStack.registry.engine(ofType: type)
                .open(OpenRequest(location: .file(file), model: stack.model))
            watch = StoreWatch(of: store, by: StoreWatcher(pace: pace))
            known = Mutex(try store.newestGeneration())
        }

        deinit { watch.end() }

        func start() {
            watch.start(after: known.withLock { $0 }) {
                [weak self, store] () throws(StoreError) in
                defer { self?.lookCount.add(1, ordering: .sequentiallyConsistent) }
                return try store.newestGeneration()
            } reporting: { [weak self] generation in
                guard let self else { return }
                reports.withLock { $0.append(generation) }
                arrivals.signal()
            }
        }

        /// Waits until the watcher has begun and completed another check.
        func waitForLook() {
            let now = lookCount.load(ordering: .sequentiallyConsistent)
            let end = ContinuousClock.now + .seconds(60)
            while lookCount.load(ordering: .sequentiallyConsistent) < now + 2,
                ContinuousClock.now < end
            { usleep(500) }
        }

        /// Returns whether a report arrives within a minute.
        func isReported() -> Bool { arrivals.wait(timeout: .now() + 60) == .success }
        var reported: [StoreGeneration] { reports.withLock { $0 } }

        /// Saves in another process.
        func saveInAnotherProcess(_ title: String) throws {
            let worker = try WorkerProcess(
                "pictures", "rename", stack.type.rawValue, file.path, title)
            #expect(worker.end() == .code(0))
        }
    }

    @Test(arguments: FileStack.types)
    func `reports each save that the system announces`(_ type: StoreType) throws {
        let watching = try Watching(type, Self.eventsOnly)
        watching.start()
        for title in ["noon", "evening", "night"] {
            try watching.saveInAnotherProcess(title)

            #expect(watching.isReported())
        }
        #expect(watching.reported == watching.reported.sorted())
    }

    @Test(arguments: FileStack.types)
    func `reports a save that the system does not announce`(_ type: StoreType) throws {
        let watching = try Watching(type, Self.looksOnly)
        watching.start()
        try watching.saveInAnotherProcess("noon")

        #expect(watching.isReported())
    }

    @Test(arguments: FileStack.types)
    func `reports a save that came before the watch began`(_ type: StoreType) throws {
        let watching = try Watching(type, Self.eventsOnly)
        try watching.saveInAnotherProcess("noon")
        watching.start()

        #expect(watching.isReported())
    }

    /// The system continues to report events of the folder that was moved away, regardless of its name.
    @Test(arguments: FileStack.types)
    func `finds its folder again after it was moved away and back`(_ type: StoreType) throws {
        var pace = WatchPace()
        pace.interval = .milliseconds(5)
        pace.intervalWithEvents = .milliseconds(5)
        let watching = try Watching(type, pace)
        watching.start()
        let (folder, elsewhere) = (watching.stack.url("stores"), watching.stack.url("elsewhere"))

        #expect(rename(folder.path, elsewhere.path) == 0)
        watching.waitForLook()
        #expect(rename(elsewhere.path, folder.path) == 0)
        watching.waitForLook()
        try watching.saveInAnotherProcess("noon")

        #expect(watching.isReported())
    }

    @Test func `checks on request, and reports nothing without a commit`() throws {
        let watching = try Watching(.sqlite, Self.looksOnly)
        watching.start()
        watching.waitForLook()
        watching.watch.lookSoon()
        try Data().write(to: watching.stack.url("stores/other"))
        watching.waitForLook()

        #expect(watching.reported.isEmpty)
    }

    @Test func `reports nothing once it has ended, even if it is started afterwards`() throws {
        let watching = try Watching(.sqlite, Self.looksOnly)
        watching.start()
        watching.waitForLook()
        watching.watch.end()
        watching.start()
        let other = try Watching(.sqlite, Self.looksOnly)
        other.watch.end()
        other.start()
        for one in [watching, other] { try one.saveInAnotherProcess("noon") }

        #expect(other.lookCount.load(ordering: .sequentiallyConsistent) == 0)
        #expect(watching.reported.isEmpty && other.reported.isEmpty)
    }

    @Test func `releases its handlers when it ends`() throws {
        final class Held: Sendable {}
        let watching = try Watching(.sqlite, Self.looksOnly)
        let store = watching.store
        var held: Held? = Held()
        weak let released = held
        watching.watch.start(after: StoreGeneration(.max)) {
            [held] () throws(StoreError) in
            try withExtendedLifetime(held) { () throws(StoreError) in try store.newestGeneration() }
        } reporting: { _ in
        }
        held = nil
        let before = released != nil

        watching.watch.end()
        // A check may have begun earlier.
        let end = ContinuousClock.now + .seconds(60)
        while released != nil, ContinuousClock.now < end { usleep(500) }

        #expect(before)
        #expect(released == nil)
    }

    @Test func `goes on watching if one store cannot be checked`() throws {
        let watcher = StoreWatcher(pace: Self.looksOnly)
        let watching = try Watching(.binary, Self.looksOnly)
        let (sick, sound) = (
            StoreWatch(of: watching.store, by: watcher), StoreWatch(of: watching.store, by: watcher)
        )
        let arrived = DispatchSemaphore(value: 0)
        let store = watching.store
        sick.start(after: StoreGeneration(0)) { () throws(StoreError) in
            throw .closed(store.request.location)
        } reporting: { _ in
        }
        sound.start(after: try store.newestGeneration()) { () throws(StoreError) in
            try store.newestGeneration()
        } reporting: { _ in
            arrived.signal()
        }

        try watching.saveInAnotherProcess("noon")

        #expect(arrived.wait(timeout: .now() + 60) == .success)
        for watch in [sick, sound] { watch.end() }
    }
}
