import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Transformers that a program registers under a name.
@Suite struct `A registered transformer` {
    @Test(arguments: chosenEngines)
    func `can read its values after the store is opened again`(_ type: StoreType) throws {
        _ = try Notebook.stack(.inMemory)
        let folder = try TemporaryFolder()
        let url = folder.url(of: type, "notes.store")
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Notebook.entities))
        let first = try coordinator.addPersistentStore(ofType: type, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context throws in
            _ = try context.insert("Note", ["color": Color.orange])
            try context.save()
        }
        // Removing an in-memory store destroys it.
        if type != .inMemory {
            try coordinator.remove(first)
            try coordinator.addPersistentStore(ofType: type, at: url)
        }

        try ContextHandle(coordinator: coordinator).performAndWait { context throws in
            let note = try context.only("Note")
            #expect(try note.value(forKey: "color") as? Color == .orange)
            #expect(try note.transformedValue(forKey: "color") == Color.orange)
            #expect(note.primitiveValue(forKey: "color") as? Data == Data([255, 128, 0]))
            try note.setValue(Color.orange, forKey: "color")
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `passes its values to a parent context`(_ type: StoreType) throws {
        let stack = try Notebook.stack(type)
        let parent = ContextHandle(coordinator: stack.coordinator)
        let child = ContextHandle(parent: parent)
        try child.performAndWait { context throws in
            _ = try context.insert("Note", ["color": Color.orange])
            try context.save()
        }

        try parent.performAndWait { context throws in
            let note = try #require(context.insertedObjects.first)
            #expect(try note.value(forKey: "color") as? Color == .orange)
        }
    }

    @Test func `with a value type accepts and returns that type`() throws {
        try Notebook.stack(.inMemory).inContext { context throws in
            let note = try context.insert("Note")
            try note.setValue(["a", "b"], forKey: "words")
            try note.setValue(["width": 1.5, "height": 2], forKey: "settings")

            #expect(try note.value(forKey: "words") as? [String] == ["a", "b"])
            #expect(
                try note.value(forKey: "settings") as? [String: Double] == [
                    "width": 1.5, "height": 2,
                ])
            #expect(try note.transformedValue(forKey: "words") == (["a", "b"] as ArchivableValue))
            #expect(throws: GraphError.self) { try note.setValue([1], forKey: "words") }
            #expect(throws: GraphError.self) {
                try note.transformedValue(forKey: "words", as: Date.self)
            }

            let numbers = try ([1, 2] as ArchivableValue).keyedArchive()
            try note.setPrimitiveValue(numbers, forKey: "words")
            let error = #expect(throws: GraphError.self) { try note.value(forKey: "words") }
            #expect(error?.description.contains("Array<String>") == true)
        }
    }

    @Test func `that throws leaves the attribute unchanged`() throws {
        try Notebook.stack(.inMemory).inContext { context throws in
            let note = try context.insert("Note", ["color": Color.orange])

            let blue = Color(red: 0, green: 0, blue: 255)
            let error = #expect(throws: GraphError.self) {
                try note.setValue(blue, forKey: "color")
            }

            guard case .transformation(let failure)? = error,
                case .failed(let reason) = failure.reason
            else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason is ColorTransformer.TooBlue)
            #expect(failure.transformer == "NotebookColor")
            #expect(failure.direction == .writing)
            let info = (error as NSError?)?.userInfo
            #expect(info?["entity"] as? String == "Note")
            #expect(info?["property"] as? String == "color")
            #expect(try note.value(forKey: "color") as? Color == .orange)
        }
    }

    @Test func `is called when a value is read, but not by a fetch or a fault`() throws {
        let transformer = CountingTransformer()
        ValueTransformers.setValueTransformer(transformer, forName: "NotebookCounting")
        let stack = try Notebook.stack(.sqlite)
        try stack.fill { context throws in
            for title in ["a", "b"] {
                _ = try context.insert("Note", ["title": title, "counted": "text"])
            }
        }
        transformer.reset()

        try stack.inContext { context throws in
            let notes = try context.fetch(FetchRequest<ManagedObject>("Note"))
            for note in notes {
                try context.refresh(note, mergeChanges: false)
                _ = try note.value(forKey: "title")
                try note.setValue("new title", forKey: "title")
            }
            try context.save()
            #expect(transformer.readCount == 0)

            _ = try notes.first?.value(forKey: "counted")
            #expect(transformer.readCount == 1)
            _ = notes.first?.primitiveValue(forKey: "counted")
            _ = try notes.first?["counted"]
            #expect(transformer.readCount == 1)
        }
    }

    /// Stores text as UTF-8 and counts how often it is read.
    private final class CountingTransformer: ValueTransformer {
        private let reads = Mutex(0)
        var readCount: Int { reads.withLock { $0 } }

        func reset() { reads.withLock { $0 = 0 } }

        func data(from value: String) -> Data { Data(value.utf8) }

        func value(from data: Data) -> String {
            reads.withLock { $0 += 1 }
            return String(decoding: data, as: UTF8.self)
        }
    }

    @Test func `is found from its registration to its removal`() throws {
        let name: ValueTransformerName = "NotebookLost"
        try Notebook.stack(.inMemory).inContext { context throws in
            let note = try context.insert("Note")
            try note.setValue(Value.transformable(Data([255, 128, 0])), forKey: "lost")
            #expect(try note.value(forKey: "lost") as? Data == Data([255, 128, 0]))

            ValueTransformers.setValueTransformer(ColorTransformer(), forName: name)
            defer { ValueTransformers.setValueTransformer(nil, forName: name) }

            #expect(try note.value(forKey: "lost") as? Color == .orange)
            #expect(ValueTransformers.valueTransformer(forName: name) is ColorTransformer)
            #expect(ValueTransformers.valueTransformerNames.contains(name))
        }
        #expect(ValueTransformers.valueTransformer(forName: name) == nil)
    }

    @Test func `can be registered and looked up by many threads at once`() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let name = ValueTransformerName("NotebookThread\(number)")
                    for _ in 0..<200 {
                        ValueTransformers.setValueTransformer(ColorTransformer(), forName: name)
                        #expect(ValueTransformers.valueTransformer(forName: name) != nil)
                        #expect(
                            ValueTransformers.valueTransformer(
                                forName: .secureUnarchiveFromDataTransformerName) != nil)
                        ValueTransformers.setValueTransformer(nil, forName: name)
                    }
                }
            }
        }
    }

    @Test func `with a built-in name cannot be removed`() {
        let name = ValueTransformerName.secureUnarchiveFromDataTransformerName

        ValueTransformers.setValueTransformer(nil, forName: name)

        #expect(
            ValueTransformers.valueTransformer(forName: name)
                is SecureUnarchiveFromDataTransformer<ArchivableValue>)
    }
}
