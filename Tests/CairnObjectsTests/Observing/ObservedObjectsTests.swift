import CairnModel
import Observation
import StackSupport
import Testing

@testable import CairnObjects

private final class Tag: ManagedObject {
    @Managed var name: String?
}

/// The costs of observing objects.
@Suite struct `Registrars of observed objects` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context(classes: ObjectClasses([Tag.self]))
        for number in 0..<10 {
            let tag = try context.insert(Tag.self)
            try tag.setValue("tag \(number)", forKey: "name")
        }
        try context.save()
    }

    private func tags() throws -> [Tag] { try context.fetch(FetchRequest<Tag>()) }

    /// Returns the size of an instance, read from the class metadata: on Linux it follows two pointers and
    /// two 32-bit fields.
    private func instanceSize(of type: AnyClass) -> UInt32 {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self)
    }

    private func readInEveryWay(_ tag: Tag) throws {
        try withObservationTracking {
            Result {
                _ = tag.name
                _ = try tag.value(forKey: "name")
                _ = try tag.objects("tracks").count
            }
        } onChange: {
        }.get()
    }

    @Test
    func `do not exist without observation, and an object takes at most 56 bytes and its marks`()
        throws
    {
        let tags = try tags()
        for tag in tags { try readInEveryWay(tag) }
        let reads = tags.map { $0.kind.silentSlots.layoutSlots.count }

        #expect(context.kinds.observation == nil)
        #expect(tags.allSatisfy { $0.kind.observation == nil })
        #expect(reads.allSatisfy { $0 > 0 })
        // The allocator serves this size from a block of 64 bytes.
        #expect(instanceSize(of: ManagedObject.self) <= 56)
        #expect(instanceSize(of: Tag.self) <= 57)
    }

    @Test func `exist once for each object that was read, until it is released`() throws {
        context.observesObjects = true
        let observation = try #require(context.kinds.observation)
        var held = try tags()
        let unread = observation.count
        for tag in held.prefix(4) { try readInEveryWay(tag) }
        let read = observation.count
        held.removeFirst(3)
        let left = observation.count
        held = []

        #expect(unread == 0)
        #expect(read == 4)
        #expect(left == 1)
        #expect(observation.count == 0)
    }

    @Test func `are released with the context, and when observation is disabled`() throws {
        context.observesObjects = true
        weak let first = context.kinds.observation
        let tags = try tags()
        try readInEveryWay(tags[0])
        context.observesObjects = false
        let isGone = first == nil
        let isDirect = tags[0].kind.silentSlots.layoutSlots.count > 0

        #expect(isGone)
        #expect(isDirect)
        #expect(tags[0].name == "tag 0")
    }

    @Test func `are created for object kinds that are first used later`() throws {
        let later = try stack.context()
        later.observesObjects = true
        let tag = try later.fetch(FetchRequest<Tag>())[0]
        _ = tag.name

        #expect(later.kinds.observation?.count == 1)
    }
}
