import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Serialized because the tests count the process's watching threads and descriptors.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `A remote change` {
    /// A coordinator that reports the changes of one store.
    private struct Watching {
        let stack: FileStack
        let file: URL
        let coordinator: PersistentStoreCoordinator
        let store: any PersistentStore

        init(_ type: StoreType, _ titles: String = "dawn") throws {
            stack = try FileStack(type)
            file = try stack.make(titles, at: "store")
            coordinator = stack.coordinator()
            store = try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: file,
                options: [.postsRemoteChanges: true])
        }

        /// Returns another coordinator for the same file.
        func other() throws -> PersistentStoreCoordinator {
            let other = stack.coordinator()
            try other.addPersistentStore(ofType: stack.type, at: file)
            return other
        }

        /// Gives every picture the title, in another process.
        func saveInAnotherProcess(_ title: String) throws {
            let worker = try WorkerProcess(
                "pictures", "rename", stack.type.rawValue, file.path, title)
            #expect(worker.end() == .code(0))
        }
    }

    private static func insert(
        _ title: String, _ coordinator: PersistentStoreCoordinator
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.insertNewObject(forEntityName: "Picture").setValue(title, forKey: "title")
            try context.save()
        }
    }

    // MARK: What is reported

    @Test(arguments: FileStack.types)
    func `by another coordinator is reported with the store, its URL and a token`(
        _ type: StoreType
    ) throws {
        let watching = try Watching(type)
        let inbox = RemoteChangeInbox(watching.coordinator)
        let other = try watching.other()

        try Self.insert("noon", other)
        let first = try #require(inbox.next())
        try Self.insert("evening", other)
        let second = try #require(inbox.next(after: first.token))

        #expect(first.identifier == (try watching.store.metadata().identifier))
        #expect(first.token?.states.keys.first == first.identifier)
        #expect(first.url == watching.store.url)
        let (old, new) = (try #require(first.token), try #require(second.token))
        #expect(new.isNewer(than: old) && !old.isNewer(than: new) && !old.isNewer(than: old))
        #expect(new != old && second.identifier == first.identifier)
    }

    @Test(arguments: FileStack.types)
    func `by another process is reported, and can already be read`(_ type: StoreType) throws {
        let watching = try Watching(type)
        let titles = Mutex<[String?]>([])
        let handle = ContextHandle(coordinator: watching.coordinator)
        let picture = try handle.performAndWait { context in
            try #require(try context.fetch(FetchRequest<ManagedObject>("Picture")).first).objectID
        }
        let inbox = RemoteChangeInbox(watching.coordinator) { _ in
            let title = try? handle.performAndWait { context in
                try context.refreshAllObjects()
                return try context.object(with: picture).value(forKey: "title") as? String
            }
            titles.withLock { $0.append(title) }
        }

        try watching.saveInAnotherProcess("noon")
        let report = inbox.next()

        #expect(report?.identifier == (try watching.store.metadata().identifier))
        #expect(titles.withLock { $0.first } == "noon")
    }

    @Test(arguments: FileStack.types)
    func `by its own coordinator is reported, as Core Data does`(_ type: StoreType) throws {
        let watching = try Watching(type)
        let inbox = RemoteChangeInbox(watching.coordinator)

        try Self.insert("noon", watching.coordinator)

        #expect(inbox.next() != nil)
    }

    @Test func `of a store in memory is reported`() throws {
        let stack = try FileStack(.inMemory)
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: .inMemory, options: [.postsRemoteChanges: true])
        let inbox = RemoteChangeInbox(coordinator)

        try Self.insert("noon", coordinator)
        let report = try #require(inbox.next())

        #expect(report.identifier == (try store.metadata().identifier))
        #expect(report.url == nil && report.token != nil)
    }

    @Test(arguments: FileStack.types)
    func `is not reported if nothing was committed`(_ type: StoreType) throws {
        let watching = try Watching(type)
        let inbox = RemoteChangeInbox(watching.coordinator)
        let other = try watching.other()

        // Causes events and requests checks, without a commit.
        for _ in 0..<3 {
            let save = try other.persistentStores[0].beginSave()
            try save.prepare(SaveRequest())
            save.rollback()
        }
        try other.remove(other.persistentStores[0])
        try Data().write(to: watching.stack.url("store.other"))
        let saver = try watching.other()
        try Self.insert("noon", saver)
        let report = try #require(inbox.next())
        // Checks continue for a while after the save.
        try Self.insert("evening", watching.coordinator)

        #expect(inbox.next(after: report.token) != nil)
        #expect(inbox.reports.count == 2)
        // Closing may copy the log into the file, which is a new state of a SQLite store. The saver is
        // therefore kept open until here.
        withExtendedLifetime(saver) {}
    }

    @Test(arguments: FileStack.types)
    func `is reported after the file was moved away and back`(_ type: StoreType) throws {
        let watching = try Watching(type)
        let inbox = RemoteChangeInbox(watching.coordinator)
        let elsewhere = watching.stack.url("elsewhere")

        #expect(rename(watching.file.path, elsewhere.path) == 0)
        #expect(rename(elsewhere.path, watching.file.path) == 0)
        try watching.saveInAnotherProcess("noon")

        #expect(inbox.next() != nil)
    }

    @Test(arguments: everyWholeFileEngine)
    func `is reported if another program replaces the file with a newer one`(
        _ type: StoreType
    ) throws {
        let watching = try Watching(type)
        let inbox = RemoteChangeInbox(watching.coordinator)
        let copy = watching.stack.url("copy")
        try FileManager.default.copyItem(at: watching.file, to: copy)
        let other = watching.stack.coordinator()
        let opened = try other.addPersistentStore(ofType: type, at: copy)
        try Self.insert("noon", other)
        try other.remove(opened)

        #expect(rename(copy.path, watching.file.path) == 0)

        #expect(inbox.next() != nil)
    }

    @Test(arguments: [.sqlite, .inMemory] as [StoreType])
    func `is reported once for many saves in a short time`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let coordinator = stack.coordinator()
        try coordinator.addPersistentStore(
            ofType: type, at: type == .inMemory ? nil : stack.url("store"),
            options: [.postsRemoteChanges: true])
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let inbox = RemoteChangeInbox(coordinator) { _ in
            hasBegun.signal()
            mayEnd.wait()
        }

        try Self.insert("first", coordinator)
        hasBegun.wait()
        for number in 0..<20 { try Self.insert("\(number)", coordinator) }
        for _ in 0..<3 { mayEnd.signal() }
        let first = try #require(inbox.next())
        let second = try #require(inbox.next(after: first.token))
        try Self.insert("last", coordinator)
        _ = try #require(inbox.next(after: second.token))

        #expect(inbox.reports.count == 3)
    }

    // MARK: Recipients of the report

    @Test(arguments: FileStack.types)
    func `of a store that was removed is not reported`(_ type: StoreType) throws {
        let watching = try Watching(type)
        let still = watching.stack.coordinator()
        try still.addPersistentStore(
            ofType: type, at: watching.file, options: [.postsRemoteChanges: true])
        let (removed, kept) = (
            RemoteChangeInbox(watching.coordinator), RemoteChangeInbox(still)
        )
        let other = try watching.other()

        try watching.coordinator.remove(watching.store)
        try Self.insert("noon", other)

        #expect(kept.next() != nil)
        #expect(removed.reports.isEmpty)
    }

    @Test func `is reported only for the store whose description has the option`() throws {
        let stack = try FileStack(.sqlite)
        let coordinator = stack.coordinator()
        var stores: [any PersistentStore] = []
        for name in ["asked", "unasked"] {
            let description = PersistentStoreDescription(type: .sqlite, url: stack.url(name))
            if name == "asked" {
                description.options[.postsRemoteChanges] = true
            }
            stores.append(try coordinator.addPersistentStore(with: description))
        }
        let inbox = RemoteChangeInbox(coordinator)

        for store in stores.reversed() {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                let picture = try context.insertNewObject(forEntityName: "Picture")
                try context.assign(picture, to: store)
                try context.save()
            }
        }
        let report = inbox.next()

        #expect(report?.url == stores[0].url)
        #expect(inbox.reports.count == 1)
    }

    // MARK: Cost

    @Test func `costs no thread and no descriptor if nobody asks for it`() throws {
        let stack = try FileStack(.sqlite)
        let coordinator = stack.coordinator()
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: stack.url("store"), options: [.postsRemoteChanges: false])
        try Self.insert("noon", coordinator)

        #expect(WatcherUse.now == WatcherUse())
    }

    @Test func `uses one thread for all stores, which ends with the last one`() throws {
        var watching: [Watching] = []
        for type in FileStack.types { watching.append(try Watching(type)) }
        WatcherUse.wait(for: WatcherUse(threads: 1, watchers: 1))
        let during = WatcherUse.now

        // Some stores are removed; the others are released with their coordinators.
        for one in watching.prefix(2) { try one.coordinator.remove(one.store) }
        watching = []
        WatcherUse.wait(for: WatcherUse())

        #expect(during == WatcherUse(threads: 1, watchers: 1))
        #expect(WatcherUse.now == WatcherUse())
    }

    @Test func `is still reported after the thread has ended and started again`() throws {
        for _ in 0..<3 {
            let watching = try Watching(.sqlite)
            let inbox = RemoteChangeInbox(watching.coordinator)
            try watching.saveInAnotherProcess("noon")
            #expect(inbox.next() != nil)
            try watching.coordinator.remove(watching.store)
            WatcherUse.wait(for: WatcherUse())
        }
    }

    /// The watcher's use of process resources.
    private struct WatcherUse: Equatable {
        var threads = 0
        /// The number of inotify descriptors.
        var watchers = 0

        static var now: WatcherUse {
            let files = FileManager.default
            let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            let names = tasks.map {
                (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) ?? ""
            }
            let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            let targets = descriptors.map {
                (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? ""
            }
            return WatcherUse(
                threads: names.count { $0.hasPrefix("cairn-watch") },
                watchers: targets.count { $0.contains("inotify") })
        }

        /// Waits until the use is as expected. The suite's time limit ends the wait.
        static func wait(for use: WatcherUse) {
            let end = ContinuousClock.now + .seconds(60)
            while now != use, ContinuousClock.now < end { usleep(500) }
        }
    }
}
