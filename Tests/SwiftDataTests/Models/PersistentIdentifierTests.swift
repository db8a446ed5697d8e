import CairnTestSupport
import Foundation
import SwiftData
import Testing

@Suite struct `A persistent identifier` {
    @Test(arguments: StoreKind.allCases)
    func `is encoded and decoded`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()

            let bytes = try JSONEncoder().encode(trip.persistentModelID)
            let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: bytes)

            #expect(decoded == trip.persistentModelID)
            #expect(decoded.entityName == "Trip")
            #expect((context.model(for: decoded) as? Trip) === trip)
        }
    }

    @Test func `of a new model cannot be encoded`() {
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(Trip(name: "a").persistentModelID)
        }
    }

    @Test func `that is no key of a saved model is refused`() {
        let text = #"{"implementation":{"entityName":"A","storeIdentifier":"B","primaryKey":"t1"}}"#

        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
        }
    }

    @Test func `is valid in another container of the same store`() throws {
        let folder = try TemporaryFolder()
        let configuration = StoreKind.sqlite.configuration(in: folder)
        let id: PersistentIdentifier
        do {
            let context = ModelContext(
                try ModelContainer(for: Trip.self, Pilot.self, configurations: configuration))
            let trip = Trip(name: "a")
            context.insert(trip)
            try context.save()
            id = trip.persistentModelID
        }
        let container = try ModelContainer(
            for: Trip.self, Pilot.self, configurations: configuration)

        #expect((ModelContext(container).model(for: id) as? Trip)?.name == "a")
    }

    @Test func `are in the order of creation`() throws {
        try StoreKind.sqlite.withContext { context in
            let trips = (1...12).map { Trip(name: "\($0)") }
            for trip in trips {
                context.insert(trip)
                try context.save()
            }

            #expect(trips.map(\.persistentModelID).sorted() == trips.map(\.persistentModelID))
        }
    }
}
