import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// People read the differences between two versions of an XML store.
@Suite struct `Versions of an XML store` {
    @Test func `differ in the lines of what a save changed, and in no others`() throws {
        let stack = try FileStack(.xml)
        let url = stack.url("pictures.xml")
        let coordinator = stack.coordinator()
        try coordinator.addPersistentStore(ofType: .xml, at: url)
        let handle = ContextHandle(coordinator: coordinator)
        let lines = { try String(contentsOf: url, encoding: .utf8).split(separator: "\n") }
        try handle.performAndWait { context in
            for number in 1...50 {
                let picture = try context.insertNewObject(forEntityName: "Picture")
                try picture.setValue("picture \(number)", forKey: "title")
            }
            try context.save()
        }
        let before = try lines()

        try handle.performAndWait { context in
            var request = FetchRequest("Picture")
            request.predicate = try FetchPredicate(format: "title == 'picture 20'")
            try context.fetch(request)[0].setValue("sunrise", forKey: "title")
            try context.save()
        }

        let difference = try lines().difference(from: before)
        let changed = difference.map { change in
            switch change {
            case .insert(_, let line, _), .remove(_, let line, _): String(line)
            }
        }
        #expect(changed.contains { $0.contains("sunrise") })
        #expect(changed.contains { $0.contains("picture 20") })
        // The old and the new line of the title, of the object's version, and of the file's checksum.
        #expect(changed.count == 6, "\(changed)")
    }
}
