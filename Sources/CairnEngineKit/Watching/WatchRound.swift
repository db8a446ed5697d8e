import CairnFiles
import Foundation

/// The state of the watcher's thread: the folders of each store, and the time of its next look.
struct WatchRound {
    /// A watched store.
    private struct Entry {
        let watch: StoreWatch
        /// The relevant file names, by the number of their folder.
        var folders: [Int32: Set<String>] = [:]
        /// Whether the system reports changes in all of the folders.
        var hasEvents = false
        var lastLook: ContinuousClock.Instant?
        /// `nil` if the next look happens only on request.
        var nextLook: ContinuousClock.Instant? = .now
        /// The number of looks since the last event.
        var looksSinceEvent = 0
    }

    private let pace: WatchPace
    private let events: FolderEvents?
    private var entries: [Entry] = []
    private var watchedFolders: Set<Int32> = []

    init(_ pace: WatchPace) {
        self.pace = pace
        events = pace.usesEvents ? FolderEvents() : nil
    }

    /// Updates the watched stores, and schedules a look at each store for which one was requested.
    mutating func take(_ watches: [StoreWatch]) {
        let isSame = watches.elementsEqual(entries) { $0 === $1.watch }
        if !isSame {
            entries = watches.map { watch in
                entries.first { $0.watch === watch } ?? Entry(watch: watch)
            }
            releaseFolders()
        }
        for index in entries.indices where entries[index].watch.takeLookRequest() {
            noteEvent(at: index)
        }
    }

    /// Looks at each store whose next look is due.
    mutating func lookAtDueStores() {
        for index in entries.indices {
            guard let due = entries[index].nextLook, due <= .now else { continue }
            // Watch the folders first, so that no change after the look is missed.
            watchFolders(at: index)
            entries[index].watch.look(until: .now + pace.longestLook)
            entries[index].lastLook = .now
            entries[index].nextLook = timeOfNextLook(at: index)
        }
    }

    /// Waits until a look is due, an event arrives, or the wait is ended.
    mutating func wait(_ wakeUp: WakeUp?) {
        let due = entries.compactMap(\.nextLook).min()
        var time = due.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        // If a look is due soon, do not wait for events: they would lead to the same look.
        let isDueSoon = time.map { $0 <= pace.shortestPause } ?? false
        let descriptor = isDueSoon ? nil : events?.descriptor
        if let wakeUp {
            wakeUp.wait(orFor: descriptor, atMost: time)
        } else {
            // Without a wake-up the wait cannot be ended, so it is limited.
            time = min(time ?? pace.interval, pace.interval)
            WakeUp.wait(for: descriptor.map { [$0] } ?? [], atMost: time)
        }
        if !isDueSoon, let events { note(events.read()) }
    }

    // MARK: Time

    private mutating func noteEvent(at index: Int) {
        entries[index].looksSinceEvent = 0
        let soonest = entries[index].lastLook.map { $0 + pace.shortestPause } ?? .now
        entries[index].nextLook = max(.now, soonest)
    }

    private mutating func timeOfNextLook(at index: Int) -> ContinuousClock.Instant? {
        let entry = entries[index]
        if entry.looksSinceEvent < pace.pausesAfterEvent.count {
            entries[index].looksSinceEvent += 1
            return .now + pace.pausesAfterEvent[entry.looksSinceEvent]
        }
        guard entry.watch.isShared else { return nil }
        return .now + (entry.hasEvents ? pace.intervalWithEvents : pace.interval)
    }

    // MARK: Folders

    private mutating func note(_ found: Set<FolderEvents.Event>) {
        for index in entries.indices {
            let folders = entries[index].folders
            let concerns = found.contains { event in
                switch event {
                case .lost: true
                case .changed(let folder, let name): folders[folder]?.contains(name) ?? false
                }
            }
            if concerns { noteEvent(at: index) }
        }
    }

    /// Watches the folders that the store's paths lead to now, because a folder may have been moved
    /// or replaced.
    private mutating func watchFolders(at index: Int) {
        guard let events, let names = entries[index].watch.fileNames else { return }
        var folders: [Int32: Set<String>] = [:]
        var isComplete = true
        for (path, names) in names {
            if let number = events.watch(path) {
                folders[number, default: []].formUnion(names)
            } else {
                isComplete = false
            }
        }
        entries[index].hasEvents = isComplete
        guard Set(folders.keys) != Set(entries[index].folders.keys) else { return }
        entries[index].folders = folders
        releaseFolders()
    }

    /// Stops watching folders that contain no watched store.
    private mutating func releaseFolders() {
        let needed = entries.reduce(into: Set<Int32>()) { $0.formUnion($1.folders.keys) }
        for folder in watchedFolders.subtracting(needed) { events?.stopWatching(folder) }
        watchedFolders = needed
    }
}
