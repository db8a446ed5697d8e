import Testing

@testable import SwiftData

@Suite struct `A reference to an instance` {
    private final class Box {
        var onEnd: () -> Void = {}

        deinit { onEnd() }
    }

    @Test func `holds the object, or is empty once nothing else holds it`() {
        var reference = InstanceReference()
        let start = reference.object
        var box: Box? = Box()
        weak let observed = box

        if let box { reference.set(box, isHeld: true) }
        box = nil
        let held = reference.object === observed && observed != nil
        box = observed
        reference.weaken()
        let known = reference.object === box
        box = nil
        let ended = observed == nil && reference.object == nil

        let isHeld = reference.isHeld

        #expect(start == nil && held && known && ended && !isHeld)
    }

    @Test func `is empty while the object ends`() {
        var reference = InstanceReference()
        var found: [Bool] = []
        var box: Box? = Box()
        if let box { reference.set(box, isHeld: false) }
        withUnsafePointer(to: &reference) { pointer in
            box?.onEnd = { found.append(pointer.pointee.object == nil) }
            box = nil
        }

        #expect(found == [true])
    }

    @Test func `lets go of the former object`() {
        var reference = InstanceReference()
        var count = 0
        for isHeld in [true, false, true] {
            let box = Box()
            box.onEnd = { count += 1 }
            reference.set(box, isHeld: isHeld)
        }
        let whileHeld = count
        reference = InstanceReference()

        #expect(whileHeld == 2 && count == 3)
    }

    private final class Holder {
        var reference = InstanceReference()
    }

    @Test func `may be read by an object that ends because of a change of the reference`() {
        let holder = Holder()
        var found: [Bool] = []
        func hold() {
            let box = Box()
            box.onEnd = { found.append(holder.reference.object == nil) }
            holder.reference.set(box, isHeld: true)
        }

        hold()
        holder.reference.weaken()
        hold()
        holder.reference.clear()
        hold()
        holder.reference.set(holder, isHeld: false)

        #expect(found == [true, true, false])
    }
}
