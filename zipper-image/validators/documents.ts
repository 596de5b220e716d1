// @ts-nocheck
// Generated from the schemas by Ajv. Run `node scripts/compile-validators.ts` after you change one.
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
const func2 = ucs2length.default;

export const validateTask = validate10;
const schema11 = {"$id":"validateTask","type":"object","required":["contractVersion","bucket"],"properties":{"contractVersion":{"const":1},"bucket":{"type":"object","required":["service","name"],"properties":{"service":{"enum":["s3","r2"]},"name":{"type":"string","minLength":1},"region":{"type":"string"},"host":{"type":"string"},"accountId":{"type":"string"},"endpoint":{"type":"string"},"caBundle":{"type":"string"},"storageClass":{"type":"string"},"cacheControl":{"type":"string"},"contentDisposition":{"type":"string"},"acl":{"type":"string"},"serverSideEncryption":{"enum":["AES256","aws:kms"]},"kmsKeyId":{"type":"string"},"bucketKeyEnabled":{"type":"boolean"},"metadata":{"type":"object","additionalProperties":{"type":"string"}},"tags":{"type":"object","additionalProperties":{"type":"string"}},"webIdentity":{"type":"object","required":["roleArn","audience"],"properties":{"roleArn":{"type":"string","minLength":1},"audience":{"type":"string","minLength":1},"stsEndpoint":{"type":"string"},"stsRegion":{"type":"string"},"durationSeconds":{"type":"integer","minimum":0}}}}},"settings":{"type":"object"}},"discriminator":{"propertyName":"mode"},"oneOf":[{"type":"object","required":["mode","namespace","zipJob","zipJobUid","key","compression","onConflict","defaultModificationTime","files","startDeadlineSeconds","activeDeadlineSeconds"],"properties":{"mode":{"const":"archive"},"namespace":{"type":"string","minLength":1},"zipJob":{"type":"string","minLength":1},"zipJobUid":{"type":"string","minLength":1},"key":{"type":"string","minLength":1},"compression":{"enum":["auto","store","deflate"]},"onConflict":{"enum":["replace","fail"]},"sha256":{"type":"boolean"},"onSourceError":{"enum":["Fail","Skip","Placeholder"]},"manifestEntry":{"type":"string","minLength":1},"manifestFormat":{"enum":["json","sha256sum","bagit"]},"sequential":{"type":"boolean"},"objectOptions":{"type":"object","properties":{"contentDisposition":{"type":"string"},"contentType":{"type":"string"},"cacheControl":{"type":"string"},"storageClass":{"type":"string"},"metadata":{"type":"object","additionalProperties":{"type":"string"}},"tags":{"type":"object","additionalProperties":{"type":"string"}}}},"portableNames":{"enum":["keep","refuse","rewrite"]},"fixedModificationTime":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"defaultModificationTime":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"files":{"type":"object","discriminator":{"propertyName":"from"},"oneOf":[{"type":"object","required":["from","chunks","count","sha256"],"properties":{"from":{"const":"mounted"},"chunks":{"type":"integer","minimum":0},"count":{"type":"integer","minimum":0},"sha256":{"type":"string","minLength":1}}},{"type":"object","required":["from","count"],"properties":{"from":{"const":"inline"},"count":{"type":"integer","minimum":0}}}]},"startDeadlineSeconds":{"type":"number","minimum":0},"activeDeadlineSeconds":{"type":"number","minimum":0},"sealingKey":{"type":"string","pattern":"^[A-Za-z0-9_-]{43}$"},"sharedTarget":{"type":"boolean"}}},{"type":"object","required":["mode","zipJobUid","key","attempt","since","endedAt","endedAgeSeconds"],"properties":{"mode":{"const":"recover"},"zipJobUid":{"type":"string","minLength":1},"key":{"type":"string","minLength":1},"attempt":{"type":"string","minLength":1},"since":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"endedAt":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"endedAgeSeconds":{"type":"number","minimum":0},"bytes":{"type":"integer","minimum":0},"sharedTarget":{"type":"boolean"}},"discriminator":{"propertyName":"uploadState"},"oneOf":[{"type":"object","required":["uploadState","uploadId"],"properties":{"uploadState":{"enum":["open","committing"]},"uploadId":{"type":"string","minLength":1},"finish":{"type":"object","required":["parts","partsDigest","onConflict"],"properties":{"parts":{"type":"integer","minimum":0},"partsDigest":{"type":"string","minLength":1},"onConflict":{"enum":["replace","fail"]}}}}},{"type":"object","required":["uploadState"],"properties":{"uploadState":{"const":"unrecorded"}}}]},{"type":"object","required":["mode"],"properties":{"mode":{"const":"check-bucket"}}}]};

const pattern0 = new RegExp("^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$", "u");
const pattern2 = new RegExp("^[A-Za-z0-9_-]{43}$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateTask" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.contractVersion === undefined) && (missing0 = "contractVersion")) || ((data.bucket === undefined) && (missing0 = "bucket"))){
validate10.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.contractVersion !== undefined){
const _errs2 = errors;
if(1 !== data.contractVersion){
validate10.errors = [{instancePath:instancePath+"/contractVersion",schemaPath:"#/properties/contractVersion/const",keyword:"const",params:{allowedValue: 1},message:"must be equal to constant"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.bucket !== undefined){
let data1 = data.bucket;
const _errs3 = errors;
if(errors === _errs3){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if(((data1.service === undefined) && (missing1 = "service")) || ((data1.name === undefined) && (missing1 = "name"))){
validate10.errors = [{instancePath:instancePath+"/bucket",schemaPath:"#/properties/bucket/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data1.service !== undefined){
let data2 = data1.service;
const _errs5 = errors;
if(!((data2 === "s3") || (data2 === "r2"))){
validate10.errors = [{instancePath:instancePath+"/bucket/service",schemaPath:"#/properties/bucket/properties/service/enum",keyword:"enum",params:{allowedValues: schema11.properties.bucket.properties.service.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.name !== undefined){
let data3 = data1.name;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data3 === "string"){
if(func2(data3) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/name",schemaPath:"#/properties/bucket/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/name",schemaPath:"#/properties/bucket/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.region !== undefined){
const _errs8 = errors;
if(typeof data1.region !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/region",schemaPath:"#/properties/bucket/properties/region/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs8 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.host !== undefined){
const _errs10 = errors;
if(typeof data1.host !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/host",schemaPath:"#/properties/bucket/properties/host/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.accountId !== undefined){
const _errs12 = errors;
if(typeof data1.accountId !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/accountId",schemaPath:"#/properties/bucket/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs12 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.endpoint !== undefined){
const _errs14 = errors;
if(typeof data1.endpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/endpoint",schemaPath:"#/properties/bucket/properties/endpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs14 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.caBundle !== undefined){
const _errs16 = errors;
if(typeof data1.caBundle !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/caBundle",schemaPath:"#/properties/bucket/properties/caBundle/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs16 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.storageClass !== undefined){
const _errs18 = errors;
if(typeof data1.storageClass !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/storageClass",schemaPath:"#/properties/bucket/properties/storageClass/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs18 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cacheControl !== undefined){
const _errs20 = errors;
if(typeof data1.cacheControl !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/cacheControl",schemaPath:"#/properties/bucket/properties/cacheControl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs20 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.contentDisposition !== undefined){
const _errs22 = errors;
if(typeof data1.contentDisposition !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/contentDisposition",schemaPath:"#/properties/bucket/properties/contentDisposition/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs22 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.acl !== undefined){
const _errs24 = errors;
if(typeof data1.acl !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/acl",schemaPath:"#/properties/bucket/properties/acl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.serverSideEncryption !== undefined){
let data13 = data1.serverSideEncryption;
const _errs26 = errors;
if(!((data13 === "AES256") || (data13 === "aws:kms"))){
validate10.errors = [{instancePath:instancePath+"/bucket/serverSideEncryption",schemaPath:"#/properties/bucket/properties/serverSideEncryption/enum",keyword:"enum",params:{allowedValues: schema11.properties.bucket.properties.serverSideEncryption.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs26 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.kmsKeyId !== undefined){
const _errs27 = errors;
if(typeof data1.kmsKeyId !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/kmsKeyId",schemaPath:"#/properties/bucket/properties/kmsKeyId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs27 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.bucketKeyEnabled !== undefined){
const _errs29 = errors;
if(typeof data1.bucketKeyEnabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/bucket/bucketKeyEnabled",schemaPath:"#/properties/bucket/properties/bucketKeyEnabled/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid1 = _errs29 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.metadata !== undefined){
let data16 = data1.metadata;
const _errs31 = errors;
if(errors === _errs31){
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
for(const key0 in data16){
const _errs34 = errors;
if(typeof data16[key0] !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/metadata/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/bucket/properties/metadata/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs34 === errors;
if(!valid2){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/metadata",schemaPath:"#/properties/bucket/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs31 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.tags !== undefined){
let data18 = data1.tags;
const _errs36 = errors;
if(errors === _errs36){
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
for(const key1 in data18){
const _errs39 = errors;
if(typeof data18[key1] !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/tags/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/bucket/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs39 === errors;
if(!valid3){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/tags",schemaPath:"#/properties/bucket/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs36 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.webIdentity !== undefined){
let data20 = data1.webIdentity;
const _errs41 = errors;
if(errors === _errs41){
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
let missing2;
if(((data20.roleArn === undefined) && (missing2 = "roleArn")) || ((data20.audience === undefined) && (missing2 = "audience"))){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity",schemaPath:"#/properties/bucket/properties/webIdentity/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data20.roleArn !== undefined){
let data21 = data20.roleArn;
const _errs43 = errors;
if(errors === _errs43){
if(typeof data21 === "string"){
if(func2(data21) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/roleArn",schemaPath:"#/properties/bucket/properties/webIdentity/properties/roleArn/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/roleArn",schemaPath:"#/properties/bucket/properties/webIdentity/properties/roleArn/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs43 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data20.audience !== undefined){
let data22 = data20.audience;
const _errs45 = errors;
if(errors === _errs45){
if(typeof data22 === "string"){
if(func2(data22) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/audience",schemaPath:"#/properties/bucket/properties/webIdentity/properties/audience/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/audience",schemaPath:"#/properties/bucket/properties/webIdentity/properties/audience/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs45 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data20.stsEndpoint !== undefined){
const _errs47 = errors;
if(typeof data20.stsEndpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/stsEndpoint",schemaPath:"#/properties/bucket/properties/webIdentity/properties/stsEndpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs47 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data20.stsRegion !== undefined){
const _errs49 = errors;
if(typeof data20.stsRegion !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/stsRegion",schemaPath:"#/properties/bucket/properties/webIdentity/properties/stsRegion/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs49 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data20.durationSeconds !== undefined){
let data25 = data20.durationSeconds;
const _errs51 = errors;
if(!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25)))){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/durationSeconds",schemaPath:"#/properties/bucket/properties/webIdentity/properties/durationSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs51){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 < 0 || isNaN(data25)){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/durationSeconds",schemaPath:"#/properties/bucket/properties/webIdentity/properties/durationSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid4 = _errs51 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity",schemaPath:"#/properties/bucket/properties/webIdentity/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs41 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket",schemaPath:"#/properties/bucket/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.settings !== undefined){
let data26 = data.settings;
const _errs53 = errors;
if(!(data26 && typeof data26 == "object" && !Array.isArray(data26))){
validate10.errors = [{instancePath:instancePath+"/settings",schemaPath:"#/properties/settings/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
if(valid0){
const tag0 = data.mode;
if(typeof tag0 == "string"){
if(tag0 === "archive"){
const _errs55 = errors;
if(errors === _errs55){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if((((((((((((data.mode === undefined) && (missing3 = "mode")) || ((data.namespace === undefined) && (missing3 = "namespace"))) || ((data.zipJob === undefined) && (missing3 = "zipJob"))) || ((data.zipJobUid === undefined) && (missing3 = "zipJobUid"))) || ((data.key === undefined) && (missing3 = "key"))) || ((data.compression === undefined) && (missing3 = "compression"))) || ((data.onConflict === undefined) && (missing3 = "onConflict"))) || ((data.defaultModificationTime === undefined) && (missing3 = "defaultModificationTime"))) || ((data.files === undefined) && (missing3 = "files"))) || ((data.startDeadlineSeconds === undefined) && (missing3 = "startDeadlineSeconds"))) || ((data.activeDeadlineSeconds === undefined) && (missing3 = "activeDeadlineSeconds"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data.mode !== undefined){
const _errs57 = errors;
if("archive" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/0/properties/mode/const",keyword:"const",params:{allowedValue: "archive"},message:"must be equal to constant"}];
return false;
}
var valid7 = _errs57 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.namespace !== undefined){
let data28 = data.namespace;
const _errs58 = errors;
if(errors === _errs58){
if(typeof data28 === "string"){
if(func2(data28) < 1){
validate10.errors = [{instancePath:instancePath+"/namespace",schemaPath:"#/oneOf/0/properties/namespace/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/namespace",schemaPath:"#/oneOf/0/properties/namespace/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs58 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.zipJob !== undefined){
let data29 = data.zipJob;
const _errs60 = errors;
if(errors === _errs60){
if(typeof data29 === "string"){
if(func2(data29) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJob",schemaPath:"#/oneOf/0/properties/zipJob/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJob",schemaPath:"#/oneOf/0/properties/zipJob/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs60 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.zipJobUid !== undefined){
let data30 = data.zipJobUid;
const _errs62 = errors;
if(errors === _errs62){
if(typeof data30 === "string"){
if(func2(data30) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/0/properties/zipJobUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/0/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs62 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.key !== undefined){
let data31 = data.key;
const _errs64 = errors;
if(errors === _errs64){
if(typeof data31 === "string"){
if(func2(data31) < 1){
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/0/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/0/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs64 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.compression !== undefined){
let data32 = data.compression;
const _errs66 = errors;
if(!(((data32 === "auto") || (data32 === "store")) || (data32 === "deflate"))){
validate10.errors = [{instancePath:instancePath+"/compression",schemaPath:"#/oneOf/0/properties/compression/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.compression.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs66 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.onConflict !== undefined){
let data33 = data.onConflict;
const _errs67 = errors;
if(!((data33 === "replace") || (data33 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/onConflict",schemaPath:"#/oneOf/0/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs67 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sha256 !== undefined){
const _errs68 = errors;
if(typeof data.sha256 !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sha256",schemaPath:"#/oneOf/0/properties/sha256/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid7 = _errs68 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.onSourceError !== undefined){
let data35 = data.onSourceError;
const _errs70 = errors;
if(!(((data35 === "Fail") || (data35 === "Skip")) || (data35 === "Placeholder"))){
validate10.errors = [{instancePath:instancePath+"/onSourceError",schemaPath:"#/oneOf/0/properties/onSourceError/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.onSourceError.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs70 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.manifestEntry !== undefined){
let data36 = data.manifestEntry;
const _errs71 = errors;
if(errors === _errs71){
if(typeof data36 === "string"){
if(func2(data36) < 1){
validate10.errors = [{instancePath:instancePath+"/manifestEntry",schemaPath:"#/oneOf/0/properties/manifestEntry/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/manifestEntry",schemaPath:"#/oneOf/0/properties/manifestEntry/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs71 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.manifestFormat !== undefined){
let data37 = data.manifestFormat;
const _errs73 = errors;
if(!(((data37 === "json") || (data37 === "sha256sum")) || (data37 === "bagit"))){
validate10.errors = [{instancePath:instancePath+"/manifestFormat",schemaPath:"#/oneOf/0/properties/manifestFormat/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.manifestFormat.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs73 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sequential !== undefined){
const _errs74 = errors;
if(typeof data.sequential !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sequential",schemaPath:"#/oneOf/0/properties/sequential/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid7 = _errs74 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.objectOptions !== undefined){
let data39 = data.objectOptions;
const _errs76 = errors;
if(errors === _errs76){
if(data39 && typeof data39 == "object" && !Array.isArray(data39)){
if(data39.contentDisposition !== undefined){
const _errs78 = errors;
if(typeof data39.contentDisposition !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/contentDisposition",schemaPath:"#/oneOf/0/properties/objectOptions/properties/contentDisposition/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs78 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.contentType !== undefined){
const _errs80 = errors;
if(typeof data39.contentType !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/contentType",schemaPath:"#/oneOf/0/properties/objectOptions/properties/contentType/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs80 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.cacheControl !== undefined){
const _errs82 = errors;
if(typeof data39.cacheControl !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/cacheControl",schemaPath:"#/oneOf/0/properties/objectOptions/properties/cacheControl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs82 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.storageClass !== undefined){
const _errs84 = errors;
if(typeof data39.storageClass !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/storageClass",schemaPath:"#/oneOf/0/properties/objectOptions/properties/storageClass/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs84 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.metadata !== undefined){
let data44 = data39.metadata;
const _errs86 = errors;
if(errors === _errs86){
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
for(const key2 in data44){
const _errs89 = errors;
if(typeof data44[key2] !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/metadata/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/oneOf/0/properties/objectOptions/properties/metadata/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid9 = _errs89 === errors;
if(!valid9){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions/metadata",schemaPath:"#/oneOf/0/properties/objectOptions/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid8 = _errs86 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data39.tags !== undefined){
let data46 = data39.tags;
const _errs91 = errors;
if(errors === _errs91){
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
for(const key3 in data46){
const _errs94 = errors;
if(typeof data46[key3] !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/tags/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/oneOf/0/properties/objectOptions/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid10 = _errs94 === errors;
if(!valid10){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions/tags",schemaPath:"#/oneOf/0/properties/objectOptions/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid8 = _errs91 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions",schemaPath:"#/oneOf/0/properties/objectOptions/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs76 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.portableNames !== undefined){
let data48 = data.portableNames;
const _errs96 = errors;
if(!(((data48 === "keep") || (data48 === "refuse")) || (data48 === "rewrite"))){
validate10.errors = [{instancePath:instancePath+"/portableNames",schemaPath:"#/oneOf/0/properties/portableNames/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.portableNames.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs96 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.fixedModificationTime !== undefined){
let data49 = data.fixedModificationTime;
const _errs97 = errors;
if(errors === _errs97){
if(typeof data49 === "string"){
if(!pattern0.test(data49)){
validate10.errors = [{instancePath:instancePath+"/fixedModificationTime",schemaPath:"#/oneOf/0/properties/fixedModificationTime/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/fixedModificationTime",schemaPath:"#/oneOf/0/properties/fixedModificationTime/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs97 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.defaultModificationTime !== undefined){
let data50 = data.defaultModificationTime;
const _errs99 = errors;
if(errors === _errs99){
if(typeof data50 === "string"){
if(!pattern0.test(data50)){
validate10.errors = [{instancePath:instancePath+"/defaultModificationTime",schemaPath:"#/oneOf/0/properties/defaultModificationTime/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/defaultModificationTime",schemaPath:"#/oneOf/0/properties/defaultModificationTime/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs99 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.files !== undefined){
let data51 = data.files;
const _errs101 = errors;
if(errors === _errs101){
if(data51 && typeof data51 == "object" && !Array.isArray(data51)){
const tag1 = data51.from;
if(typeof tag1 == "string"){
if(tag1 === "mounted"){
const _errs104 = errors;
if(errors === _errs104){
if(data51 && typeof data51 == "object" && !Array.isArray(data51)){
let missing4;
if(((((data51.from === undefined) && (missing4 = "from")) || ((data51.chunks === undefined) && (missing4 = "chunks"))) || ((data51.count === undefined) && (missing4 = "count"))) || ((data51.sha256 === undefined) && (missing4 = "sha256"))){
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/0/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data51.from !== undefined){
const _errs106 = errors;
if("mounted" !== data51.from){
validate10.errors = [{instancePath:instancePath+"/files/from",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/from/const",keyword:"const",params:{allowedValue: "mounted"},message:"must be equal to constant"}];
return false;
}
var valid13 = _errs106 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data51.chunks !== undefined){
let data53 = data51.chunks;
const _errs107 = errors;
if(!(((typeof data53 == "number") && (!(data53 % 1) && !isNaN(data53))) && (isFinite(data53)))){
validate10.errors = [{instancePath:instancePath+"/files/chunks",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/chunks/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs107){
if((typeof data53 == "number") && (isFinite(data53))){
if(data53 < 0 || isNaN(data53)){
validate10.errors = [{instancePath:instancePath+"/files/chunks",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/chunks/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid13 = _errs107 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data51.count !== undefined){
let data54 = data51.count;
const _errs109 = errors;
if(!(((typeof data54 == "number") && (!(data54 % 1) && !isNaN(data54))) && (isFinite(data54)))){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs109){
if((typeof data54 == "number") && (isFinite(data54))){
if(data54 < 0 || isNaN(data54)){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid13 = _errs109 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data51.sha256 !== undefined){
let data55 = data51.sha256;
const _errs111 = errors;
if(errors === _errs111){
if(typeof data55 === "string"){
if(func2(data55) < 1){
validate10.errors = [{instancePath:instancePath+"/files/sha256",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/sha256/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files/sha256",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/sha256/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid13 = _errs111 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag1 === "inline"){
const _errs113 = errors;
if(errors === _errs113){
if(data51 && typeof data51 == "object" && !Array.isArray(data51)){
let missing5;
if(((data51.from === undefined) && (missing5 = "from")) || ((data51.count === undefined) && (missing5 = "count"))){
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/1/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
if(data51.from !== undefined){
const _errs115 = errors;
if("inline" !== data51.from){
validate10.errors = [{instancePath:instancePath+"/files/from",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/from/const",keyword:"const",params:{allowedValue: "inline"},message:"must be equal to constant"}];
return false;
}
var valid15 = _errs115 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data51.count !== undefined){
let data57 = data51.count;
const _errs116 = errors;
if(!(((typeof data57 == "number") && (!(data57 % 1) && !isNaN(data57))) && (isFinite(data57)))){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs116){
if((typeof data57 == "number") && (isFinite(data57))){
if(data57 < 0 || isNaN(data57)){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid15 = _errs116 === errors;
}
else {
var valid15 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "from", tagValue: tag1},message:"value of tag \"from\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/discriminator",keyword:"discriminator",params:{error: "tag", tag: "from", tagValue: tag1},message:"tag \"from\" must be string"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid7 = _errs101 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.startDeadlineSeconds !== undefined){
let data58 = data.startDeadlineSeconds;
const _errs118 = errors;
if(errors === _errs118){
if((typeof data58 == "number") && (isFinite(data58))){
if(data58 < 0 || isNaN(data58)){
validate10.errors = [{instancePath:instancePath+"/startDeadlineSeconds",schemaPath:"#/oneOf/0/properties/startDeadlineSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/startDeadlineSeconds",schemaPath:"#/oneOf/0/properties/startDeadlineSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid7 = _errs118 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.activeDeadlineSeconds !== undefined){
let data59 = data.activeDeadlineSeconds;
const _errs120 = errors;
if(errors === _errs120){
if((typeof data59 == "number") && (isFinite(data59))){
if(data59 < 0 || isNaN(data59)){
validate10.errors = [{instancePath:instancePath+"/activeDeadlineSeconds",schemaPath:"#/oneOf/0/properties/activeDeadlineSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/activeDeadlineSeconds",schemaPath:"#/oneOf/0/properties/activeDeadlineSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid7 = _errs120 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sealingKey !== undefined){
let data60 = data.sealingKey;
const _errs122 = errors;
if(errors === _errs122){
if(typeof data60 === "string"){
if(!pattern2.test(data60)){
validate10.errors = [{instancePath:instancePath+"/sealingKey",schemaPath:"#/oneOf/0/properties/sealingKey/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{43}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{43}$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/sealingKey",schemaPath:"#/oneOf/0/properties/sealingKey/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid7 = _errs122 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.sharedTarget !== undefined){
const _errs124 = errors;
if(typeof data.sharedTarget !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sharedTarget",schemaPath:"#/oneOf/0/properties/sharedTarget/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid7 = _errs124 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag0 === "recover"){
const _errs126 = errors;
if(errors === _errs126){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing6;
if((((((((data.mode === undefined) && (missing6 = "mode")) || ((data.zipJobUid === undefined) && (missing6 = "zipJobUid"))) || ((data.key === undefined) && (missing6 = "key"))) || ((data.attempt === undefined) && (missing6 = "attempt"))) || ((data.since === undefined) && (missing6 = "since"))) || ((data.endedAt === undefined) && (missing6 = "endedAt"))) || ((data.endedAgeSeconds === undefined) && (missing6 = "endedAgeSeconds"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing6},message:"must have required property '"+missing6+"'"}];
return false;
}
else {
if(data.mode !== undefined){
const _errs129 = errors;
if("recover" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/1/properties/mode/const",keyword:"const",params:{allowedValue: "recover"},message:"must be equal to constant"}];
return false;
}
var valid17 = _errs129 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.zipJobUid !== undefined){
let data63 = data.zipJobUid;
const _errs130 = errors;
if(errors === _errs130){
if(typeof data63 === "string"){
if(func2(data63) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/1/properties/zipJobUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/1/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs130 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.key !== undefined){
let data64 = data.key;
const _errs132 = errors;
if(errors === _errs132){
if(typeof data64 === "string"){
if(func2(data64) < 1){
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/1/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/1/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs132 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.attempt !== undefined){
let data65 = data.attempt;
const _errs134 = errors;
if(errors === _errs134){
if(typeof data65 === "string"){
if(func2(data65) < 1){
validate10.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/oneOf/1/properties/attempt/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/oneOf/1/properties/attempt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs134 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.since !== undefined){
let data66 = data.since;
const _errs136 = errors;
if(errors === _errs136){
if(typeof data66 === "string"){
if(!pattern0.test(data66)){
validate10.errors = [{instancePath:instancePath+"/since",schemaPath:"#/oneOf/1/properties/since/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/since",schemaPath:"#/oneOf/1/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs136 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.endedAt !== undefined){
let data67 = data.endedAt;
const _errs138 = errors;
if(errors === _errs138){
if(typeof data67 === "string"){
if(!pattern0.test(data67)){
validate10.errors = [{instancePath:instancePath+"/endedAt",schemaPath:"#/oneOf/1/properties/endedAt/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/endedAt",schemaPath:"#/oneOf/1/properties/endedAt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid17 = _errs138 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.endedAgeSeconds !== undefined){
let data68 = data.endedAgeSeconds;
const _errs140 = errors;
if(errors === _errs140){
if((typeof data68 == "number") && (isFinite(data68))){
if(data68 < 0 || isNaN(data68)){
validate10.errors = [{instancePath:instancePath+"/endedAgeSeconds",schemaPath:"#/oneOf/1/properties/endedAgeSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/endedAgeSeconds",schemaPath:"#/oneOf/1/properties/endedAgeSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid17 = _errs140 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.bytes !== undefined){
let data69 = data.bytes;
const _errs142 = errors;
if(!(((typeof data69 == "number") && (!(data69 % 1) && !isNaN(data69))) && (isFinite(data69)))){
validate10.errors = [{instancePath:instancePath+"/bytes",schemaPath:"#/oneOf/1/properties/bytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs142){
if((typeof data69 == "number") && (isFinite(data69))){
if(data69 < 0 || isNaN(data69)){
validate10.errors = [{instancePath:instancePath+"/bytes",schemaPath:"#/oneOf/1/properties/bytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid17 = _errs142 === errors;
}
else {
var valid17 = true;
}
if(valid17){
if(data.sharedTarget !== undefined){
const _errs144 = errors;
if(typeof data.sharedTarget !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sharedTarget",schemaPath:"#/oneOf/1/properties/sharedTarget/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid17 = _errs144 === errors;
}
else {
var valid17 = true;
}
if(valid17){
const tag2 = data.uploadState;
if(typeof tag2 == "string"){
if(tag2 === "open"){
const _errs146 = errors;
if(errors === _errs146){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing7;
if(((data.uploadState === undefined) && (missing7 = "uploadState")) || ((data.uploadId === undefined) && (missing7 = "uploadId"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/required",keyword:"required",params:{missingProperty: missing7},message:"must have required property '"+missing7+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
let data71 = data.uploadState;
const _errs148 = errors;
if(!((data71 === "open") || (data71 === "committing"))){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadState/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.uploadState.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid20 = _errs148 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.uploadId !== undefined){
let data72 = data.uploadId;
const _errs149 = errors;
if(errors === _errs149){
if(typeof data72 === "string"){
if(func2(data72) < 1){
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs149 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.finish !== undefined){
let data73 = data.finish;
const _errs151 = errors;
if(errors === _errs151){
if(data73 && typeof data73 == "object" && !Array.isArray(data73)){
let missing8;
if((((data73.parts === undefined) && (missing8 = "parts")) || ((data73.partsDigest === undefined) && (missing8 = "partsDigest"))) || ((data73.onConflict === undefined) && (missing8 = "onConflict"))){
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/required",keyword:"required",params:{missingProperty: missing8},message:"must have required property '"+missing8+"'"}];
return false;
}
else {
if(data73.parts !== undefined){
let data74 = data73.parts;
const _errs153 = errors;
if(!(((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74))) && (isFinite(data74)))){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs153){
if((typeof data74 == "number") && (isFinite(data74))){
if(data74 < 0 || isNaN(data74)){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid21 = _errs153 === errors;
}
else {
var valid21 = true;
}
if(valid21){
if(data73.partsDigest !== undefined){
let data75 = data73.partsDigest;
const _errs155 = errors;
if(errors === _errs155){
if(typeof data75 === "string"){
if(func2(data75) < 1){
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid21 = _errs155 === errors;
}
else {
var valid21 = true;
}
if(valid21){
if(data73.onConflict !== undefined){
let data76 = data73.onConflict;
const _errs157 = errors;
if(!((data76 === "replace") || (data76 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/finish/onConflict",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.finish.properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid21 = _errs157 === errors;
}
else {
var valid21 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid20 = _errs151 === errors;
}
else {
var valid20 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag2 === "committing"){
const _errs158 = errors;
if(errors === _errs158){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing9;
if(((data.uploadState === undefined) && (missing9 = "uploadState")) || ((data.uploadId === undefined) && (missing9 = "uploadId"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/required",keyword:"required",params:{missingProperty: missing9},message:"must have required property '"+missing9+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
let data77 = data.uploadState;
const _errs160 = errors;
if(!((data77 === "open") || (data77 === "committing"))){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadState/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.uploadState.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid23 = _errs160 === errors;
}
else {
var valid23 = true;
}
if(valid23){
if(data.uploadId !== undefined){
let data78 = data.uploadId;
const _errs161 = errors;
if(errors === _errs161){
if(typeof data78 === "string"){
if(func2(data78) < 1){
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid23 = _errs161 === errors;
}
else {
var valid23 = true;
}
if(valid23){
if(data.finish !== undefined){
let data79 = data.finish;
const _errs163 = errors;
if(errors === _errs163){
if(data79 && typeof data79 == "object" && !Array.isArray(data79)){
let missing10;
if((((data79.parts === undefined) && (missing10 = "parts")) || ((data79.partsDigest === undefined) && (missing10 = "partsDigest"))) || ((data79.onConflict === undefined) && (missing10 = "onConflict"))){
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/required",keyword:"required",params:{missingProperty: missing10},message:"must have required property '"+missing10+"'"}];
return false;
}
else {
if(data79.parts !== undefined){
let data80 = data79.parts;
const _errs165 = errors;
if(!(((typeof data80 == "number") && (!(data80 % 1) && !isNaN(data80))) && (isFinite(data80)))){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs165){
if((typeof data80 == "number") && (isFinite(data80))){
if(data80 < 0 || isNaN(data80)){
validate10.errors = [{instancePath:instancePath+"/finish/parts",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/parts/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid24 = _errs165 === errors;
}
else {
var valid24 = true;
}
if(valid24){
if(data79.partsDigest !== undefined){
let data81 = data79.partsDigest;
const _errs167 = errors;
if(errors === _errs167){
if(typeof data81 === "string"){
if(func2(data81) < 1){
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish/partsDigest",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/partsDigest/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid24 = _errs167 === errors;
}
else {
var valid24 = true;
}
if(valid24){
if(data79.onConflict !== undefined){
let data82 = data79.onConflict;
const _errs169 = errors;
if(!((data82 === "replace") || (data82 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/finish/onConflict",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.finish.properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid24 = _errs169 === errors;
}
else {
var valid24 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/finish",schemaPath:"#/oneOf/1/oneOf/0/properties/finish/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid23 = _errs163 === errors;
}
else {
var valid23 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag2 === "unrecorded"){
const _errs170 = errors;
if(errors === _errs170){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing11;
if((data.uploadState === undefined) && (missing11 = "uploadState")){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/1/required",keyword:"required",params:{missingProperty: missing11},message:"must have required property '"+missing11+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
if("unrecorded" !== data.uploadState){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/1/properties/uploadState/const",keyword:"const",params:{allowedValue: "unrecorded"},message:"must be equal to constant"}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "uploadState", tagValue: tag2},message:"value of tag \"uploadState\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/discriminator",keyword:"discriminator",params:{error: "tag", tag: "uploadState", tagValue: tag2},message:"tag \"uploadState\" must be string"}];
return false;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag0 === "check-bucket"){
const _errs173 = errors;
if(errors === _errs173){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing12;
if((data.mode === undefined) && (missing12 = "mode")){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing12},message:"must have required property '"+missing12+"'"}];
return false;
}
else {
if(data.mode !== undefined){
if("check-bucket" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/2/properties/mode/const",keyword:"const",params:{allowedValue: "check-bucket"},message:"must be equal to constant"}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "mode", tagValue: tag0},message:"value of tag \"mode\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "mode", tagValue: tag0},message:"tag \"mode\" must be string"}];
return false;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateOwnZipJob = validate11;
const schema12 = {"$id":"validateOwnZipJob","type":"object","required":["metadata","spec"],"properties":{"metadata":{"type":"object","required":["uid"],"properties":{"uid":{"type":"string"}}},"spec":{"type":"object","properties":{"maxAttempts":{"type":"integer"},"files":{"type":"array","items":{"type":"object","required":["url","filename"],"properties":{"url":{"type":"string"},"filename":{"type":"string"},"size":{"type":"integer","minimum":0},"sha256":{"type":"string"},"crc32":{"type":"string"},"contentType":{"type":"string"}}}}}},"status":{"type":"object","properties":{"attempts":{"type":"array","items":{"type":"object","required":["podUid"],"properties":{"podUid":{"type":"string"},"class":{"type":"string"},"exitCode":{"type":"integer"}}}},"progressIntervalSeconds":{"type":"integer","minimum":1},"checkpointed":{"type":"boolean"},"inherits":{"type":"object","required":["uploadId","owner","partSize","checkpoint","resumes"],"properties":{"uploadId":{"type":"string"},"owner":{"type":"string"},"partSize":{"type":"integer","minimum":0},"checkpoint":{"type":"integer","minimum":0},"resumes":{"type":"integer","minimum":0},"adoptedBy":{"type":"string"}}}}}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateOwnZipJob" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.metadata === undefined) && (missing0 = "metadata")) || ((data.spec === undefined) && (missing0 = "spec"))){
validate11.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.metadata !== undefined){
let data0 = data.metadata;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.uid === undefined) && (missing1 = "uid")){
validate11.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data0.uid !== undefined){
if(typeof data0.uid !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/uid",schemaPath:"#/properties/metadata/properties/uid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.spec !== undefined){
let data2 = data.spec;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.maxAttempts !== undefined){
let data3 = data2.maxAttempts;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate11.errors = [{instancePath:instancePath+"/spec/maxAttempts",schemaPath:"#/properties/spec/properties/maxAttempts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.files !== undefined){
let data4 = data2.files;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data4)){
var valid3 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
const _errs11 = errors;
if(errors === _errs11){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
let missing2;
if(((data5.url === undefined) && (missing2 = "url")) || ((data5.filename === undefined) && (missing2 = "filename"))){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0,schemaPath:"#/properties/spec/properties/files/items/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data5.url !== undefined){
const _errs13 = errors;
if(typeof data5.url !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/url",schemaPath:"#/properties/spec/properties/files/items/properties/url/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs13 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data5.filename !== undefined){
const _errs15 = errors;
if(typeof data5.filename !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/filename",schemaPath:"#/properties/spec/properties/files/items/properties/filename/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs15 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data5.size !== undefined){
let data8 = data5.size;
const _errs17 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/size",schemaPath:"#/properties/spec/properties/files/items/properties/size/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs17){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/size",schemaPath:"#/properties/spec/properties/files/items/properties/size/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid4 = _errs17 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data5.sha256 !== undefined){
const _errs19 = errors;
if(typeof data5.sha256 !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/sha256",schemaPath:"#/properties/spec/properties/files/items/properties/sha256/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs19 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data5.crc32 !== undefined){
const _errs21 = errors;
if(typeof data5.crc32 !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/crc32",schemaPath:"#/properties/spec/properties/files/items/properties/crc32/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs21 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data5.contentType !== undefined){
const _errs23 = errors;
if(typeof data5.contentType !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/contentType",schemaPath:"#/properties/spec/properties/files/items/properties/contentType/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs23 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0,schemaPath:"#/properties/spec/properties/files/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid3 = _errs11 === errors;
if(!valid3){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/files",schemaPath:"#/properties/spec/properties/files/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data12 = data.status;
const _errs25 = errors;
if(errors === _errs25){
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
if(data12.attempts !== undefined){
let data13 = data12.attempts;
const _errs27 = errors;
if(errors === _errs27){
if(Array.isArray(data13)){
var valid6 = true;
const len1 = data13.length;
for(let i1=0; i1<len1; i1++){
let data14 = data13[i1];
const _errs29 = errors;
if(errors === _errs29){
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
let missing3;
if((data14.podUid === undefined) && (missing3 = "podUid")){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1,schemaPath:"#/properties/status/properties/attempts/items/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data14.podUid !== undefined){
const _errs31 = errors;
if(typeof data14.podUid !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1+"/podUid",schemaPath:"#/properties/status/properties/attempts/items/properties/podUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid7 = _errs31 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data14.class !== undefined){
const _errs33 = errors;
if(typeof data14.class !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1+"/class",schemaPath:"#/properties/status/properties/attempts/items/properties/class/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid7 = _errs33 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data14.exitCode !== undefined){
let data17 = data14.exitCode;
const _errs35 = errors;
if(!(((typeof data17 == "number") && (!(data17 % 1) && !isNaN(data17))) && (isFinite(data17)))){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1+"/exitCode",schemaPath:"#/properties/status/properties/attempts/items/properties/exitCode/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid7 = _errs35 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1,schemaPath:"#/properties/status/properties/attempts/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid6 = _errs29 === errors;
if(!valid6){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/attempts",schemaPath:"#/properties/status/properties/attempts/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid5 = _errs27 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data12.progressIntervalSeconds !== undefined){
let data18 = data12.progressIntervalSeconds;
const _errs37 = errors;
if(!(((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18))) && (isFinite(data18)))){
validate11.errors = [{instancePath:instancePath+"/status/progressIntervalSeconds",schemaPath:"#/properties/status/properties/progressIntervalSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs37){
if((typeof data18 == "number") && (isFinite(data18))){
if(data18 < 1 || isNaN(data18)){
validate11.errors = [{instancePath:instancePath+"/status/progressIntervalSeconds",schemaPath:"#/properties/status/properties/progressIntervalSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid5 = _errs37 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data12.checkpointed !== undefined){
const _errs39 = errors;
if(typeof data12.checkpointed !== "boolean"){
validate11.errors = [{instancePath:instancePath+"/status/checkpointed",schemaPath:"#/properties/status/properties/checkpointed/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid5 = _errs39 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data12.inherits !== undefined){
let data20 = data12.inherits;
const _errs41 = errors;
if(errors === _errs41){
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
let missing4;
if((((((data20.uploadId === undefined) && (missing4 = "uploadId")) || ((data20.owner === undefined) && (missing4 = "owner"))) || ((data20.partSize === undefined) && (missing4 = "partSize"))) || ((data20.checkpoint === undefined) && (missing4 = "checkpoint"))) || ((data20.resumes === undefined) && (missing4 = "resumes"))){
validate11.errors = [{instancePath:instancePath+"/status/inherits",schemaPath:"#/properties/status/properties/inherits/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data20.uploadId !== undefined){
const _errs43 = errors;
if(typeof data20.uploadId !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/inherits/uploadId",schemaPath:"#/properties/status/properties/inherits/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs43 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data20.owner !== undefined){
const _errs45 = errors;
if(typeof data20.owner !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/inherits/owner",schemaPath:"#/properties/status/properties/inherits/properties/owner/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs45 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data20.partSize !== undefined){
let data23 = data20.partSize;
const _errs47 = errors;
if(!(((typeof data23 == "number") && (!(data23 % 1) && !isNaN(data23))) && (isFinite(data23)))){
validate11.errors = [{instancePath:instancePath+"/status/inherits/partSize",schemaPath:"#/properties/status/properties/inherits/properties/partSize/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs47){
if((typeof data23 == "number") && (isFinite(data23))){
if(data23 < 0 || isNaN(data23)){
validate11.errors = [{instancePath:instancePath+"/status/inherits/partSize",schemaPath:"#/properties/status/properties/inherits/properties/partSize/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid8 = _errs47 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data20.checkpoint !== undefined){
let data24 = data20.checkpoint;
const _errs49 = errors;
if(!(((typeof data24 == "number") && (!(data24 % 1) && !isNaN(data24))) && (isFinite(data24)))){
validate11.errors = [{instancePath:instancePath+"/status/inherits/checkpoint",schemaPath:"#/properties/status/properties/inherits/properties/checkpoint/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs49){
if((typeof data24 == "number") && (isFinite(data24))){
if(data24 < 0 || isNaN(data24)){
validate11.errors = [{instancePath:instancePath+"/status/inherits/checkpoint",schemaPath:"#/properties/status/properties/inherits/properties/checkpoint/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid8 = _errs49 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data20.resumes !== undefined){
let data25 = data20.resumes;
const _errs51 = errors;
if(!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25)))){
validate11.errors = [{instancePath:instancePath+"/status/inherits/resumes",schemaPath:"#/properties/status/properties/inherits/properties/resumes/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs51){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 < 0 || isNaN(data25)){
validate11.errors = [{instancePath:instancePath+"/status/inherits/resumes",schemaPath:"#/properties/status/properties/inherits/properties/resumes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid8 = _errs51 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data20.adoptedBy !== undefined){
const _errs53 = errors;
if(typeof data20.adoptedBy !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/inherits/adoptedBy",schemaPath:"#/properties/status/properties/inherits/properties/adoptedBy/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs53 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/inherits",schemaPath:"#/properties/status/properties/inherits/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid5 = _errs41 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}

export const validateOwnCheckpoint = validate12;
const schema13 = {"$id":"validateOwnCheckpoint","type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["zipJobUid"],"properties":{"zipJobUid":{"type":"string"}}},"status":{"type":"object","required":["sequence","uploadId","owner","plan","records"],"properties":{"sequence":{"type":"integer","minimum":0},"uploadId":{"type":"string"},"owner":{"type":"string"},"plan":{"type":"string"},"records":{"type":"string"}}}}};

function validate12(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateOwnCheckpoint" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.spec === undefined) && (missing0 = "spec")){
validate12.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.spec !== undefined){
let data0 = data.spec;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.zipJobUid === undefined) && (missing1 = "zipJobUid")){
validate12.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data0.zipJobUid !== undefined){
if(typeof data0.zipJobUid !== "string"){
validate12.errors = [{instancePath:instancePath+"/spec/zipJobUid",schemaPath:"#/properties/spec/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data2 = data.status;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
let missing2;
if((((((data2.sequence === undefined) && (missing2 = "sequence")) || ((data2.uploadId === undefined) && (missing2 = "uploadId"))) || ((data2.owner === undefined) && (missing2 = "owner"))) || ((data2.plan === undefined) && (missing2 = "plan"))) || ((data2.records === undefined) && (missing2 = "records"))){
validate12.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data2.sequence !== undefined){
let data3 = data2.sequence;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate12.errors = [{instancePath:instancePath+"/status/sequence",schemaPath:"#/properties/status/properties/sequence/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 < 0 || isNaN(data3)){
validate12.errors = [{instancePath:instancePath+"/status/sequence",schemaPath:"#/properties/status/properties/sequence/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.uploadId !== undefined){
const _errs9 = errors;
if(typeof data2.uploadId !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/uploadId",schemaPath:"#/properties/status/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.owner !== undefined){
const _errs11 = errors;
if(typeof data2.owner !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/owner",schemaPath:"#/properties/status/properties/owner/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.plan !== undefined){
const _errs13 = errors;
if(typeof data2.plan !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.records !== undefined){
const _errs15 = errors;
if(typeof data2.records !== "string"){
validate12.errors = [{instancePath:instancePath+"/status/records",schemaPath:"#/properties/status/properties/records/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs15 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate12.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate12.errors = vErrors;
return errors === 0;
}
