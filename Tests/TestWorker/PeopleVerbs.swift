import Cairn
import CairnTestSupport
import Foundation
import GraphSupport

/// The worker's commands for stores of people with a history.
///
///     people save SEED TYPE PATH …            makes a random save for each line of input
///     people stream RATE SECONDS TYPE PATH    saves a person RATE times per second, with the save's number
///                                             as the author
enum PeopleVerbs {
    static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("save", 4...):
            guard let seed = UInt64(arguments[1]) else { throw WrongArguments(arguments) }
            try save(seed, try coordinator(arguments.dropFirst(2)))
        case ("stream", 5):
            guard let rate = Int(arguments[1]), let seconds = Int(arguments[2]) else {
                throw WrongArguments(arguments)
            }
            try stream(rate, seconds, try coordinator(arguments.dropFirst(3)))
        default: throw WrongArguments(arguments)
        }
    }

    private static func coordinator(
        _ stores: ArraySlice<String>
    ) throws -> PersistentStoreCoordinator {
        let stores = Array(stores)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(PeopleModel.entities))
        for index in stride(from: 0, to: stores.count - 1, by: 2) {
            try coordinator.addPersistentStore(
                ofType: StoreType(stores[index]), at: URL(fileURLWithPath: stores[index + 1]),
                options: [.timeout: 60])
        }
        TestWorker.say("open")
        return coordinator
    }

    private static func save(_ seed: UInt64, _ coordinator: PersistentStoreCoordinator) throws {
        var random = SeededRandom(seed: seed &+ 1)
        let people = try RandomPeople(coordinator)
        while readLine() != nil {
            try people.save(&random)
            TestWorker.say("saved")
        }
    }

    /// Begins when a line of input comes. A save that is late is made at once.
    private static func stream(
        _ rate: Int, _ seconds: Int, _ coordinator: PersistentStoreCoordinator
    ) throws {
        _ = readLine()
        let handle = ContextHandle(coordinator: coordinator)
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<rate * seconds {
            let wait = start + .seconds(1) * number / rate - clock.now
            if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
            try handle.performAndWait { context in
                context.transactionAuthor = "\(number)"
                try context.insertNewObject(forEntityName: "Person").setValue(number, forKey: "age")
                try context.save()
                context.reset()
            }
            // Tells the reader that the worker is alive.
            if number % rate == rate - 1 { TestWorker.say("saved \(number + 1)") }
        }
        TestWorker.say("ended \((clock.now - start) / .seconds(1))")
    }
}
