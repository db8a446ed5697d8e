import Cairn

/// The model of a walking club: summits and huts, trails between them, walkers, and their walks.
enum TrailsModel {
    static var description: ModelDescription {
        ModelDescription([
            place, summit, hut, trail, tag, walker, walk, photo,
        ])
    }

    private static var place: EntityDescription {
        var place = EntityDescription(
            "Place", isAbstract: true,
            [
                .attribute("name", .string, isOptional: false),
                .attribute("elevation", .integer32, isOptional: false, defaultValue: 0),
                .attribute("latitude", .double, isOptional: false, defaultValue: 0.0),
                .attribute("longitude", .double, isOptional: false, defaultValue: 0.0),
                .toMany("trails", "Trail", inverse: "waypoints"),
            ])
        place.fetchIndexes = [FetchIndexDescription("byElevation", elements: [.init("elevation")])]
        return place
    }

    private static var summit: EntityDescription {
        EntityDescription(
            "Summit", superentity: "Place",
            [.attribute("firstAscent", .date), .attribute("prominence", .float)])
    }

    private static var hut: EntityDescription {
        EntityDescription(
            "Hut", superentity: "Place",
            [
                .attribute(
                    "beds", .integer16, isOptional: false, defaultValue: 0,
                    validationRules: [.minimum(0), .maximum(400)]),
                .attribute("pricePerNight", .decimal),
                .attribute("opensOn", .date),
                .attribute("website", .uri),
                .toOne("keeper", "Walker", inverse: "keptHuts"),
            ])
    }

    private static var trail: EntityDescription {
        EntityDescription(
            "Trail",
            [
                .attribute("name", .string, isOptional: false),
                .attribute("kilometres", .double, isOptional: false, defaultValue: 0.0),
                .attribute("isWaymarked", .boolean, isOptional: false, defaultValue: true),
                .toMany("waypoints", "Place", inverse: "trails", isOrdered: true),
                .toMany("tags", "Tag", inverse: "trails"),
                .toMany("walks", "Walk", inverse: "trail", deleteRule: .deny),
            ])
    }

    private static var tag: EntityDescription {
        var tag = EntityDescription(
            "Tag",
            [
                .attribute("name", .string, isOptional: false),
                .toMany("trails", "Trail", inverse: "tags"),
            ])
        tag.uniquenessConstraints = [["name"]]
        return tag
    }

    private static var walker: EntityDescription {
        EntityDescription(
            "Walker",
            [
                .attribute("name", .string, isOptional: false),
                .attribute("memberID", .uuid, isOptional: false),
                .attribute("email", .string),
                .attribute("joinedOn", .date, isOptional: false),
                .toMany("walks", "Walk", inverse: "walker", deleteRule: .cascade),
                .toMany("keptHuts", "Hut", inverse: "keeper"),
                .toMany("friends", "Walker", inverse: "friendOf"),
                .toMany("friendOf", "Walker", inverse: "friends"),
            ])
    }

    private static var walk: EntityDescription {
        EntityDescription(
            "Walk",
            [
                .attribute("date", .date, isOptional: false),
                .attribute("minutes", .integer64, isOptional: false, defaultValue: 0),
                .attribute("note", .string),
                .toOne("walker", "Walker", inverse: "walks", isOptional: false),
                .toOne("trail", "Trail", inverse: "walks", isOptional: false),
                .toMany(
                    "photos", "Photo", inverse: "walk", isOrdered: true, deleteRule: .cascade),
            ])
    }

    private static var photo: EntityDescription {
        EntityDescription(
            "Photo",
            [
                .attribute("caption", .string),
                .attribute("takenAt", .date, isOptional: false),
                .attribute("thumbnail", .binary),
                .toOne("walk", "Walk", inverse: "photos", isOptional: false),
            ])
    }
}
