import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Pinning a context` {
    private func refusal(of context: ManagedObjectContext) -> String? {
        do {
            try context.setQueryGeneration(from: .current)
            return nil
        } catch {
            guard case .queryGenerationUnsupported = error else { return "\(error)" }
            return error.description
        }
    }

    @Test func `is refused if the retained state would prevent others from saving`() throws {
        let stack = try LibraryStack()
        try stack.add(varied: [VariedStore.keepsOthersFromSaving: true])

        let text = try ContextHandle(source: stack.coordinator).performAndWait { context in
            let text = refusal(of: context)
            #expect(context.queryGenerationToken == nil)
            _ = try context.insertNewObject(forEntityName: "Note")
            try context.save()
            return text
        }
        let other = try LibraryStack()
        try other.add(varied: [:])
        let none = try ContextHandle(source: other.coordinator).performAndWait { context in
            refusal(of: context)
        }

        #expect(none == nil)
        #expect(text?.contains("rollback journal") == true)
        #expect(text?.contains("Open the store for writing once") == true)
    }

    @Test func `is refused by an engine whose readers and writers block each other`() throws {
        let stack = try LibraryStack(engines: [ExclusiveStore.self])
        try stack.coordinator.addPersistentStore(
            ofType: "Exclusive", configurationName: nil,
            options: [Meeting.option: .string(Meeting().name)])

        let text = try ContextHandle(source: stack.coordinator).performAndWait { context in
            refusal(of: context)
        }

        #expect(text?.contains("cannot be read while it is being saved to") == true)
    }
}
