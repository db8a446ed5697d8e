import Cairn
import Foundation

/// A change to the objects of a ``Gallery``.
enum GalleryEdit: Edit {
    case setClock(Int)
    case insertAlbum(String)
    case insertTag(String)
    case insertPhoto(String, caption: String, pixelCount: Int, album: String)
    case deletePhoto(String)
    case setCaption(String, String)
    case setPixels(String, Int)
    case setTags(String, Set<String>)
    case move(String, String?)
    case order(String, [String])

    func apply(to context: ManagedObjectContext) throws {
        switch self {
        case .setClock(let step):
            let clock =
                try context.all("Clock").first ?? context.insertNewObject(forEntityName: "Clock")
            try clock.setValue(Int64(step), forKey: "step")
        case .insertAlbum(let name): try insert("Album", name, context)
        case .insertTag(let name): try insert("Tag", name, context)
        case .insertPhoto(let name, let caption, let pixelCount, let album):
            let photo = try insert("Photo", name, context)
            try photo.setValue(caption, forKey: "caption")
            try setPixels(photo, name, pixelCount)
            try photo.setValue(find("Album", album, context), forKey: "album")
        case .deletePhoto(let name): try context.delete(find("Photo", name, context))
        case .setCaption(let name, let caption):
            try find("Photo", name, context).setValue(caption, forKey: "caption")
        case .setPixels(let name, let count):
            try setPixels(find("Photo", name, context), name, count)
        case .setTags(let name, let tags):
            let members = try tags.sorted().map { try find("Tag", $0, context) }
            try find("Photo", name, context).setValue(Set(members), forKey: "tags")
        case .move(let name, let album):
            let target = try album.map { try find("Album", $0, context) }
            try find("Photo", name, context).setValue(target, forKey: "album")
        case .order(let album, let names):
            let members = try names.map { try find("Photo", $0, context) }
            try find("Album", album, context).setValue(members, forKey: "photos")
        }
    }

    @discardableResult
    private func insert(
        _ entity: String, _ name: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let object = try context.insertNewObject(forEntityName: entity)
        try object.setValue(name, forKey: "name")
        return object
    }

    private func setPixels(_ photo: ManagedObject, _ name: String, _ count: Int) throws {
        try photo.setValue(Int64(count), forKey: "pixelCount")
        try photo.setValue(Gallery.pixels(name, count), forKey: "pixels")
    }

    private func find(
        _ entity: String, _ name: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entity)
        request.predicate = try FetchPredicate(format: "name == %@", name)
        guard let found = try context.all(request).first else {
            throw HarnessFailure("the context has no \(entity) \(name)")
        }
        return found
    }
}
