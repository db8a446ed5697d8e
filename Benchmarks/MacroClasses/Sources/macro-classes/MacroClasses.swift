import CairnMacros
import Foundation

/// Reads the properties of many objects with each of the two kinds of class, in turn, in one process.
///
/// Prints the processor time of each kind as a ratio to that of classes by name. Exits with 1 if classes written
/// by macros take over 10 % more.
@main struct MacroClasses {
    private static let objectCount = 100_000
    private static let roundCount = 41
    /// How much more time classes written by macros may take.
    private static let limit = 1.10

    /// A way to write a class.
    private enum Kind: String, CaseIterable {
        case macro = "by macro"
        case named = "by name"

        /// The classes of the entities `MacroItem` and `MacroFolder`.
        var classes: ObjectClasses {
            let (item, folder): (ManagedObject.Type, ManagedObject.Type) =
                switch self {
                case .macro: (MacroItem.self, MacroFolder.self)
                case .named: (NamedItem.self, NamedFolder.self)
                }
            var classes = ObjectClasses()
            classes.register(item, as: "MacroItem")
            classes.register(folder, as: "MacroFolder")
            return classes
        }
    }

    static func main() throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(for: MacroItem.self, MacroFolder.self))
        try coordinator.addPersistentStore(ofType: "InMemory", at: nil)
        try fill(coordinator)
        var times: [Kind: [Double]] = [:]
        var sums: Set<Int> = []
        for round in 0..<roundCount {
            // Another kind is first in each round.
            for offset in Kind.allCases.indices {
                let kind = Kind.allCases[(round + offset) % Kind.allCases.count]
                let (seconds, sum) = try read(kind, coordinator)
                times[kind, default: []].append(seconds)
                sums.insert(sum)
            }
        }
        guard sums.count == 1 else {
            print("The kinds of class read different values: \(sums.sorted())")
            exit(1)
        }
        let medians = times.mapValues { $0.sorted()[$0.count / 2] }
        guard let named = medians[.named], let macro = medians[.macro] else { exit(1) }
        for kind in Kind.allCases {
            let median = medians[kind, default: .nan]
            let nanoseconds = median / Double(objectCount * 4) * 1e9
            print(
                "\(kind.rawValue): \(text(median / named)) of by name,"
                    + " \(text(nanoseconds)) ns for each property")
        }
        guard macro / named <= limit else {
            print("Classes written by macros take over \(text(limit)) times the time of others.")
            exit(1)
        }
    }

    private static func text(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en")))
    }

    private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        let handle = ContextHandle(
            coordinator: coordinator, classes: ObjectClasses([MacroItem.self, MacroFolder.self]))
        try handle.performAndWait { context in
            let folder = try MacroFolder(context: context)
            for number in 0..<objectCount {
                _ = try MacroItem(
                    context: context, name: "item \(number)", number: number,
                    note: number % 2 == 0 ? nil : "note", folder: folder)
            }
            try context.save()
        }
    }

    /// Returns the processor time that reading four properties of each object takes, and a sum of what was read.
    private static func read(
        _ kind: Kind, _ coordinator: PersistentStoreCoordinator
    ) throws -> (seconds: Double, sum: Int) {
        let handle = ContextHandle(coordinator: coordinator, classes: kind.classes)
        return try handle.performAndWait { context in
            let objects = try context.fetch(FetchRequest<ManagedObject>("MacroItem")).map(\.self)
            // Programs usually hold the destinations of the objects that they read.
            let folders = try context.fetch(FetchRequest<ManagedObject>("MacroFolder")).map(\.self)
            defer { withExtendedLifetime(folders) {} }
            let clock = ProcessorClock()
            let sum =
                switch kind {
                case .macro: sumOfMacro(objects)
                case .named: sumOfNamed(objects)
                }
            return (clock.seconds, sum)
        }
    }

    // The casts are outside of the loops that read.

    private static func sumOfMacro(_ objects: [ManagedObject]) -> Int {
        guard let items = objects as? [MacroItem] else { return -1 }
        return items.reduce(0) {
            $0 &+ $1.name.utf8.count &+ $1.number &+ ($1.note == nil ? 1 : 0)
                &+ ($1.folder == nil ? 1 : 0)
        }
    }

    private static func sumOfNamed(_ objects: [ManagedObject]) -> Int {
        guard let items = objects as? [NamedItem] else { return -1 }
        return items.reduce(0) {
            $0 &+ $1.name.utf8.count &+ $1.number &+ ($1.note == nil ? 1 : 0)
                &+ ($1.folder == nil ? 1 : 0)
        }
    }
}

/// The processor time of this thread.
private struct ProcessorClock {
    private let start = Self.now

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The time since the clock was created.
    var seconds: Double { Self.now - start }
}
